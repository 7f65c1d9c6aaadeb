-- Ids whose row cannot say their lane any more: they are looked for in the lanes that the queue names.
--#include lib/named

-- How many places one call looks into; the caller asks again for the ids that are left.
local LOOKS = 5000
-- How many lanes each of the queue's own keys may name here.
local NAMES = 1000
local looks, lanes = 0, nil

local function looked_enough()
  return looks >= LOOKS
end

-- Read once a call.
local function named_lanes()
  if lanes then return lanes end
  local seen = {}
  lanes = {}
  for _, groups in ipairs({
    redis.call('LRANGE', RING, 0, NAMES - 1), redis.call('SRANDMEMBER', PAUSED, NAMES),
    redis.call('HRANDFIELD', GACTIVE, NAMES), redis.call('HRANDFIELD', GLIMIT, NAMES),
  }) do
    for _, group in ipairs(groups) do
      if not seen[group] then lanes[#lanes + 1] = group end
      seen[group] = true
    end
  end
  return lanes
end

-- The lane that holds the id, or nil.
local function lane_of_lost(id)
  for _, group in ipairs(named_lanes()) do
    looks = looks + 1
    if lane_readable(group) and redis.call('ZSCORE', lane_key(group), id) then return group end
  end
end
