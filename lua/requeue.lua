-- Moves dead jobs back to waiting, each to its own lane. Attempts are never touched.
-- An id is looked for in lanes beside its place: at most 100,000 looks a call, lanes on the ring first.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] 1 to forget the stall count, else 0
-- ARGV[4] first of the pairs job id, token; an empty token is no fence
-- Reply: 0, id, outcome, id, outcome…: requeued, changed, not_dead, gone, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'requeue'
--#include lib/named

local early = enter()
if early then return early end

local reset = ARGV[3] == '1'
local forgotten = reset and { 'last_error', 'stalled' } or { 'last_error' }
local ids, drops, plain = {}, { DEAD }, { PENDING }
for at = 4, #ARGV, 2 do ids[#ids + 1] = ARGV[at] end
if #ids == 0 then return leave({ 0 }) end
-- One read a set instead of one a job: a call takes up to a thousand ids.
local in_dead = redis.call('ZMSCORE', DEAD, unpack(ids))
local in_active = redis.call('ZMSCORE', ACTIVE, unpack(ids))
local in_schedule = redis.call('ZMSCORE', SCHEDULE, unpack(ids))

local function to_waiting(id, row)
  if row.group then
    redis.call('ZREM', PENDING, id)
    redis.call('ZADD', lane_key(row.group), 0, id)
    touch(row.group)
  else
    plain[#plain + 1] = 0
    plain[#plain + 1] = id
  end
end

local reply = each_named(4, function(id, token, at)
  local row = read_row(id)
  if not row then return 'gone' end
  if not can_wait(row) then return 'unreadable' end
  if not in_dead[at] then return 'not_dead' end
  if in_active[at] then
    drops[#drops + 1] = id
    moved(id, 'not_dead', row, tonumber(in_active[at]))
    return 'not_dead'
  end
  if is_changed(row, token) then return 'changed' end
  drops[#drops + 1] = id
  if in_schedule[at] then redis.call('ZREM', SCHEDULE, id) end
  redis.call('HDEL', row_key(id), unpack(forgotten))
  redis.call('HSET', row_key(id), 'state', 'pending')
  to_waiting(id, row)
  leave_beside(id, row)
  moved(id, 'requeued', row)
  return 'requeued'
end)
if #drops > 1 then redis.call('ZREM', unpack(drops)) end
if #plain > 1 then redis.call('ZADD', unpack(plain)) end
return leave(reply, { reset_stalls = reset })
