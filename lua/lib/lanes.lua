-- Lanes: a group's waiting jobs, its jobs in flight, and its place on the ring.
--#include lib/call

local GACTIVE, GLIMIT = BASE .. 'gactive', BASE .. 'glimit'
local RING, WAKE, PAUSED = BASE .. 'ring', BASE .. 'wake', BASE .. 'paused'
local WAKE_LENGTH = 64

local touched, is_touched, lane_types = {}, {}, {}

local function lane_key(group)
  return BASE .. 'g:' .. group .. ':pending'
end

local function lane_readable(group)
  if not lane_types[group] then lane_types[group] = key_type(lane_key(group)) end
  return lane_types[group] == 'none' or lane_types[group] == 'zset'
end

local function touch(group)
  if not is_touched[group] then
    is_touched[group] = true
    touched[#touched + 1] = group
  end
end

-- Jobs in flight of a lane. Read once a call, written back when the call settles.
local flights, flown = {}, {}

local function in_flight(group)
  if not flights[group] then flights[group] = whole(redis.call('HGET', GACTIVE, group)) or 0 end
  return flights[group]
end

local function fly(group, by)
  flights[group] = math.max(in_flight(group) + by, 0)
  flown[group] = true
  touch(group)
end

local function write_flights(group)
  if not flown[group] then return end
  if flights[group] > 0 then
    redis.call('HSET', GACTIVE, group, flights[group])
  else
    redis.call('HDEL', GACTIVE, group)
  end
end

local function serviceable(group)
  if not lane_readable(group) or redis.call('ZCARD', lane_key(group)) == 0 then return false end
  if redis.call('SISMEMBER', PAUSED, group) == 1 then return false end
  local limit = whole(redis.call('HGET', GLIMIT, group))
  return not limit or in_flight(group) < limit
end

-- Which of the touched lanes are on the ring. The ring is read once a call.
local function on_ring()
  local members = {}
  if #touched == 1 then
    members[touched[1]] = redis.call('LPOS', RING, touched[1]) and true
    return members
  end
  for _, group in ipairs(redis.call('LRANGE', RING, 0, -1)) do members[group] = true end
  return members
end

-- Settles every lane that the call touched: exactly the serviceable ones stand on the ring, each once.
local function settle()
  if #touched == 0 then return end
  local members, woke = on_ring(), false
  for _, group in ipairs(touched) do
    write_flights(group)
    local able = serviceable(group)
    if able and not members[group] then
      redis.call('RPUSH', RING, group)
      redis.call('LPUSH', WAKE, '1')
      woke, CHANGED = true, true
    elseif members[group] and not able then
      redis.call('LREM', RING, 0, group)
      CHANGED = true
    end
  end
  if woke then redis.call('LTRIM', WAKE, 0, WAKE_LENGTH - 1) end
  touched, is_touched = {}, {}
end

-- Ends every call: settles lanes, writes the one audit entry, keeps the reply for replays.
local function leave(reply, detail)
  settle()
  if ACTOR ~= '' and CHANGED then write_audit(detail) end
  if OP_ID ~= '' then
    redis.call('SET', KEPT, cmsgpack.pack(VERB, reply), 'PX', KEEP_MS)
  end
  return reply
end
