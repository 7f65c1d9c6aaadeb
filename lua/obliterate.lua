-- Deletes a paused queue in bounded steps; the audit stream stays. The queue stays paused to the end.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] 1 to delete active jobs too, else 0
-- ARGV[4] budget: how many jobs and lanes this call may delete
-- ARGV[5] first of the lanes that the caller knows beside those that the queue's own keys name
-- Reply: 1 there is more to do, 0 done
-- Error: EMQSTATE the queue is not paused, or jobs are active; or a key has a wrong type; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'obliterate'
--#include lib/flows

needs('LINDEX', 'LPOP', 'SREM', 'ZRANGE', 'SRANDMEMBER', 'HRANDFIELD')
local early = enter()
if early then return early end

local force, budget, spent = ARGV[3] == '1', tonumber(ARGV[4]), 0
local GWEIGHT, REPEAT = BASE .. 'gweight', BASE .. 'repeat'

if redis.call('HEXISTS', BASE .. 'meta', 'paused') == 0 then
  return redis.error_reply('EMQSTATE not paused')
end
if not force and redis.call('ZCARD', ACTIVE) > 0 then
  return redis.error_reply('EMQSTATE active jobs, and no force')
end

-- A flow parent that waits for its children is in no set: it is reached from a child.
local function waiting_parent(id, row)
  local parent = row and row.hash and awaited_parent(id) or nil
  return parent ~= id and parent or nil
end

local function delete(id)
  while id do
    local row, deadline = read_row(id), redis.call('ZSCORE', ACTIVE, id)
    local parent = waiting_parent(id, row)
    leave_active(id, row)
    leave_waiting(id, row)
    delete_keys(id)
    moved(id, 'removed', row, tonumber(deadline or nil))
    spent = spent + 1
    id = parent
  end
end

-- True when nothing is left in the set.
local function empty(set)
  if spent < budget then
    local ids = redis.call('ZRANGE', set, 0, budget - spent - 1)
    for _, id in ipairs(ids) do
      delete(id)
      redis.call('ZREM', set, id)
    end
  end
  return redis.call('ZCARD', set) == 0
end

local function empty_lane(group)
  if lane_readable(group) then return empty(lane_key(group)) end
  redis.call('UNLINK', lane_key(group))
  return true
end

-- Empties the lanes that one of the queue's own keys names, and takes each out of it.
local function empty_named(key, kind, pick, drop)
  if key_type(key) ~= kind then return true end
  while spent < budget do
    local group = pick(key)
    if not group then return true end
    if empty_lane(group) then drop(key, group) end
    spent = spent + 1
  end
  return redis.call('EXISTS', key) == 0
end

local function first(key) return redis.call('LINDEX', key, 0) end
local function pop(key) redis.call('LPOP', key) end
local function any_member(key) return redis.call('SRANDMEMBER', key) end
local function drop_member(key, group) redis.call('SREM', key, group) end
local function any_field(key) return redis.call('HRANDFIELD', key) end
local function drop_field(key, group) redis.call('HDEL', key, group) end

local function empty_sets()
  local done = true
  for _, set in ipairs({ PENDING, SCHEDULE, DEAD, ACTIVE }) do done = empty(set) and done end
  for at = 5, #ARGV do done = empty_lane(ARGV[at]) and done end
  return done
end

local function empty_lanes()
  return empty_named(RING, 'list', first, pop)
    and empty_named(PAUSED, 'set', any_member, drop_member)
    and empty_named(GACTIVE, 'hash', any_field, drop_field)
    and empty_named(GLIMIT, 'hash', any_field, drop_field)
    and empty_named(GWEIGHT, 'hash', any_field, drop_field)
end

local function forget_repeatable(name)
  redis.call('UNLINK', BASE .. 'repeat:' .. name)
  redis.call('ZREM', REPEAT, name)
  spent = spent + 1
end

local function empty_repeat()
  if key_type(REPEAT) ~= 'zset' then return true end
  if spent < budget then
    local names = redis.call('ZRANGE', REPEAT, 0, budget - spent - 1)
    for _, name in ipairs(names) do forget_repeatable(name) end
  end
  return redis.call('ZCARD', REPEAT) == 0
end

CHANGED = true
local done = empty_sets() and empty_lanes() and empty_repeat()
if done then
  -- Nothing is left to settle.
  touched, is_touched = {}, {}
  for _, name in ipairs({
    'pending', 'active', 'schedule', 'dead', 'ring', 'paused', 'glimit', 'gactive', 'gweight', 'wake',
    'metrics:completed', 'metrics:failed', 'limiter', 'repeat', 'flow:outbox', 'meta',
  }) do redis.call('UNLINK', BASE .. name) end
end
return leave(done and 0 or 1, { force = force })
