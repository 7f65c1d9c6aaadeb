-- What upstream's scripts do, each telling what it did, to whom, and when by the server's clock.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the base of the tests' own keys, chaos:{q}:
-- ARGV[1] verb
-- ARGV[2] who does it
-- ARGV[3] a name for this deed, which its own process gives no other
-- ARGV[4] on: the verb's own
-- Reply: what was done, as JSON; nothing when nothing was
-- Error: EMQSTALE, EMQKIND
local base, mine = KEYS[1], KEYS[2]
local verb, who, deed = ARGV[1], ARGV[2], ARGV[3]
local pending, active, schedule, dead = base .. 'pending', base .. 'active', base .. 'schedule', base .. 'dead'
local call = redis.call
local clock = call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function row_of(id)
  return base .. 'job:' .. id
end

local function lane_of(group)
  return base .. 'g:' .. group .. ':pending'
end

-- A process whose answer was lost finds here whether its last deed was done. The count orders deeds.
local function tell(what)
  what.t, what.order = now, call('INCR', mine .. 'order')
  local text = cjson.encode(what)
  call('HSET', mine .. 'last', who, deed .. ' ' .. text)
  return text
end

local function settle(group)
  if not group then return end
  local limit = tonumber(call('HGET', base .. 'glimit', group))
  local flying = tonumber(call('HGET', base .. 'gactive', group)) or 0
  local is_on = call('LPOS', base .. 'ring', group)
  local is_served = call('ZCARD', lane_of(group)) > 0
    and call('SISMEMBER', base .. 'paused', group) == 0
    and (not limit or flying < limit)
  if is_served and not is_on then
    call('RPUSH', base .. 'ring', group)
    call('LPUSH', base .. 'wake', '1')
    call('LTRIM', base .. 'wake', 0, 63)
  elseif is_on and not is_served then
    call('LREM', base .. 'ring', 0, group)
  end
end

local function land(group)
  if group and call('HINCRBY', base .. 'gactive', group, -1) <= 0 then
    call('HDEL', base .. 'gactive', group)
  end
end

local function group_of(id)
  return call('HGET', row_of(id), 'group')
end

local function back(id, group)
  call('ZADD', group and lane_of(group) or pending, 0, id)
  call('HSET', row_of(id), 'state', 'pending')
  settle(group)
end

local function is_stale(id, token)
  return call('HGET', row_of(id), 'attempts') ~= token
end

local function stale()
  return redis.error_reply('EMQSTALE ' .. verb .. ' token mismatch')
end

local function take(id, lease_ms, group)
  local before = call('ZSCORE', active, id)
  local attempts = call('HINCRBY', row_of(id), 'attempts', 1)
  call('HSET', row_of(id), 'state', 'active')
  call('ZADD', active, now + lease_ms, id)
  if group then
    call('HINCRBY', base .. 'gactive', group, 1)
    settle(group)
  end
  local payload = call('HGET', row_of(id), 'payload')
  return tell({
    id = id, attempts = attempts, deadline = now + lease_ms, group = group, before = before, payload = payload,
  })
end

local function lapsed(limit)
  return call('ZRANGEBYSCORE', active, '-inf', now, 'LIMIT', 0, limit)
end

-- Out of active; answers what the lease was: id, attempts, deadline, group.
local function lift(id)
  local group = group_of(id)
  local was = { id, tonumber(call('HGET', row_of(id), 'attempts')), tonumber(call('ZSCORE', active, id)), group }
  call('ZREM', active, id)
  land(group)
  return was
end

local function stall(id, most)
  local was = lift(id)
  was[6] = call('HINCRBY', row_of(id), 'stalled', 1)
  if was[6] >= most then
    was[5] = 'dead'
    call('HSET', row_of(id), 'state', 'dead', 'last_error', 'stalled')
    call('ZADD', dead, 0, id)
    call('HINCRBY', base .. 'metrics:failed', 'count', 1)
  else
    was[5] = 'recovered'
    back(id, was[4])
  end
  return was
end

local function reaped(ids, wanted)
  local jobs = {}
  for _, id in ipairs(ids) do
    if not wanted or group_of(id) == wanted then
      jobs[#jobs + 1] = lift(id)
      back(id, jobs[#jobs][4])
    end
  end
  return #jobs > 0 and tell({ jobs = jobs })
end

local verbs = {}

function verbs.enqueue(id, payload, group)
  if string.sub(id, 1, 3) ~= 'JOB' then return redis.error_reply('EMQKIND not a job') end
  if call('EXISTS', row_of(id)) == 1 then return false end
  call('HSET', row_of(id), 'state', 'pending', 'attempts', 0, 'payload', payload)
  if group then call('HSET', row_of(id), 'group', group) end
  call('ZADD', group and lane_of(group) or pending, 0, id)
  settle(group)
  return tell({ id = id, group = group })
end

function verbs.claim(lease_ms)
  local id = call('ZPOPMIN', pending)[1]
  return id and take(id, lease_ms)
end

function verbs.claim_lane(lease_ms)
  local group = call('LMOVE', base .. 'ring', base .. 'ring', 'LEFT', 'RIGHT')
  local id = group and call('ZPOPMIN', lane_of(group))[1]
  return id and take(id, lease_ms, group)
end

function verbs.complete(id, token)
  if call('EXISTS', row_of(id)) == 0 then return false end
  if is_stale(id, token) then return stale() end
  local group, deadline = group_of(id), call('ZSCORE', active, id)
  if call('ZREM', active, id) == 1 then
    land(group)
  else
    call('ZREM', group and lane_of(group) or pending, id)
  end
  settle(group)
  call('DEL', row_of(id))
  call('HINCRBY', base .. 'metrics:completed', 'count', 1)
  return tell({ id = id, attempts = tonumber(token), before = deadline })
end

function verbs.retry(id, token, delay_ms, most, error)
  if is_stale(id, token) then return stale() end
  local group, deadline = group_of(id), call('ZSCORE', active, id)
  if call('ZREM', active, id) == 1 then land(group) end
  settle(group)
  local became = tonumber(token) >= tonumber(most) and 'dead' or 'scheduled'
  call('HSET', row_of(id), 'state', became, 'last_error', error)
  if became == 'dead' then
    call('ZADD', dead, 0, id)
    call('HINCRBY', base .. 'metrics:failed', 'count', 1)
  else
    call('ZADD', schedule, now + delay_ms, id)
  end
  return tell({
    id = id, attempts = tonumber(token), became = became, group = group, before = deadline, error = error,
  })
end

function verbs.extend(id, token, lease_ms)
  if call('EXISTS', row_of(id)) == 0 then return false end
  if is_stale(id, token) then return stale() end
  local before = call('ZSCORE', active, id)
  call('ZADD', active, now + lease_ms, id)
  return tell({ id = id, attempts = tonumber(token), deadline = now + lease_ms, before = before })
end

function verbs.promote(limit)
  local ids = call('ZRANGEBYSCORE', schedule, '-inf', now, 'LIMIT', 0, limit)
  for _, id in ipairs(ids) do
    call('ZREM', schedule, id)
    back(id, group_of(id))
  end
  return #ids > 0 and tell({ promoted = ids })
end

function verbs.reap()
  return reaped(lapsed(100))
end

function verbs.reap_group(group, limit)
  return reaped(lapsed(limit), group)
end

function verbs.sweep(most, limit)
  local jobs = {}
  for _, id in ipairs(lapsed(limit)) do jobs[#jobs + 1] = stall(id, tonumber(most)) end
  return #jobs > 0 and tell({ jobs = jobs })
end

return verbs[verb](unpack(ARGV, 4))
