-- Lanes: a group's waiting jobs, its jobs in flight, and its place on the ring.
--#include lib/call

local GACTIVE, GLIMIT = BASE .. 'gactive', BASE .. 'glimit'
local RING, WAKE, PAUSED = BASE .. 'ring', BASE .. 'wake', BASE .. 'paused'
local WAKE_LENGTH = 64

needs(
  'DEL', 'HDEL', 'HGET', 'HSET', 'LPOS', 'LPUSH', 'LRANGE', 'LREM', 'LTRIM', 'RPUSH', 'SISMEMBER', 'ZCARD'
)

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

-- The ring in its order, or of a single touched lane its places only. Read once a call.
local function read_ring()
  if #touched > 1 then return redis.call('LRANGE', RING, 0, -1) end
  local members = {}
  for _ in ipairs(redis.call('LPOS', RING, touched[1], 'COUNT', 0)) do
    members[#members + 1] = touched[1]
  end
  return members
end

local function places_in(members)
  local places = {}
  for _, group in ipairs(members) do
    if is_touched[group] then places[group] = (places[group] or 0) + 1 end
  end
  return places
end

-- Above so many lanes one new ring costs less than a search for each.
local FEW = 8
local MOST_VALUES = 5000

-- Leaves `keep` places, 0 or 1, of each lane of `surplus`: the first one stays.
local function thin_out(members, surplus, count)
  if count == 0 then return end
  CHANGED = true
  if count <= FEW then
    for group, off in pairs(surplus) do
      redis.call('LREM', RING, off.keep == 0 and 0 or off.keep - off.places, group)
    end
    return
  end
  local ring = {}
  for _, group in ipairs(members) do
    local off = surplus[group]
    if not off or off.keep > 0 then ring[#ring + 1] = group end
    if off then off.keep = 0 end
  end
  redis.call('DEL', RING)
  for at = 1, #ring, MOST_VALUES do
    redis.call('RPUSH', RING, unpack(ring, at, math.min(at + MOST_VALUES - 1, #ring)))
  end
end

local function put_on_ring(groups)
  if #groups == 0 then return end
  CHANGED = true
  for _, group in ipairs(groups) do
    redis.call('RPUSH', RING, group)
    redis.call('LPUSH', WAKE, '1')
  end
  redis.call('LTRIM', WAKE, 0, WAKE_LENGTH - 1)
end

-- Settles every lane that the call touched: exactly the serviceable ones stand on the ring, each once.
local function settle()
  if #touched == 0 then return end
  local members = read_ring()
  local places = places_in(members)
  local surplus, count, missing = {}, 0, {}
  for _, group in ipairs(touched) do
    write_flights(group)
    local now, wanted = places[group] or 0, serviceable(group) and 1 or 0
    if now < wanted then
      missing[#missing + 1] = group
    elseif now > wanted then
      surplus[group] = { keep = wanted, places = now }
      count = count + 1
    end
  end
  thin_out(members, surplus, count)
  put_on_ring(missing)
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
