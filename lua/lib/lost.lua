-- Ids in lanes that their rows do not name, looked for in the lanes that the queue's own keys name.
--#include lib/flows

needs('HRANDFIELD', 'SRANDMEMBER', 'ZMSCORE')

-- How many places one call looks into for ids that no row names a lane for; the caller asks again for
-- the ids that are left.
local LOOKS = 5000
-- How many places one call looks into for ids that stand in a lane beside their place. What lies behind
-- is not looked at: with a thousand ids, lanes from the 101st on.
local LOOKS_BESIDE = 100000
-- How many lanes each of the queue's own keys may name here.
local NAMES = 1000
local GWEIGHT = BASE .. 'gweight'
local looks, lanes = 0, nil
local beside, looked_beside = {}, 0

local function looked_enough()
  return looks >= LOOKS
end

-- Read once a call. Those on the ring come first: from them an id is claimed next.
local function named_lanes()
  if lanes then return lanes end
  local seen = {}
  lanes = {}
  for _, groups in ipairs({
    redis.call('LRANGE', RING, 0, NAMES - 1), redis.call('SRANDMEMBER', PAUSED, NAMES),
    redis.call('HRANDFIELD', GACTIVE, NAMES), redis.call('HRANDFIELD', GLIMIT, NAMES),
    key_type(GWEIGHT) == 'hash' and redis.call('HRANDFIELD', GWEIGHT, NAMES) or {},
  }) do
    for _, group in ipairs(groups) do
      if not seen[group] then lanes[#lanes + 1] = group end
      seen[group] = true
    end
  end
  return lanes
end

local function note_beside(group, ids)
  if not lane_readable(group) or lane_types[group] == 'none' then return end
  for at, score in ipairs(redis.call('ZMSCORE', lane_key(group), unpack(ids))) do
    if score then
      local id = ids[at]
      local groups = beside[id] or {}
      -- The call may name an id twice.
      if groups[#groups] ~= group then groups[#groups + 1] = group end
      beside[id] = groups
    end
  end
end

-- Finds the lanes that hold any of the ids ARGV[first], and so on by `width`: once a call, and before its
-- first write.
local function look_beside(first, width)
  if first > #ARGV or #named_lanes() == 0 then return end
  local ids = {}
  for at = first, #ARGV, width do ids[#ids + 1] = ARGV[at] end
  looked_beside = math.min(#lanes, math.floor(LOOKS_BESIDE / #ids))
  for at = 1, looked_beside do note_beside(lanes[at], ids) end
end

-- Whether a lane other than that of its row holds the id.
local function stands_beside(id, row)
  local groups = beside[id]
  return groups and (#groups > 1 or groups[1] ~= row.group)
end

-- Out of every lane but that of its row.
local function leave_beside(id, row)
  local groups = beside[id]
  if not groups then return end
  table.sort(groups)
  for _, group in ipairs(groups) do
    if group ~= row.group and redis.call('ZREM', lane_key(group), id) == 1 then touch(group) end
  end
end

-- The lane that holds the id, or nil.
local function lane_of_lost(id)
  if beside[id] then return beside[id][1] end
  for at = looked_beside + 1, #named_lanes() do
    looks = looks + 1
    local group = lanes[at]
    if lane_readable(group) and redis.call('ZSCORE', lane_key(group), id) then return group end
  end
end
