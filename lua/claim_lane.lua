-- Rotates the ring one step and takes that lane's first job as a lease.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] lease, ms
-- Reply: id, payload, attempts (the token), group
-- Reply: empty: no lane can be served, or the queue is paused
-- Reply: 1: only lanes and ids that cannot be served were met; call again
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'claim_lane'
--#include lib/claim

needs('LMOVE', 'ZPOPMIN')
local early = enter()
if early then return early end

if redis.call('HEXISTS', BASE .. 'meta', 'paused') == 1 then return leave({}) end

local looks = 0
-- The lane's first workable job; ids that are none are dropped on the way.
local function first_of(group)
  while looks < LOOKS and serviceable(group) do
    looks = looks + 1
    local lease = take(redis.call('ZPOPMIN', lane_key(group))[1], tonumber(ARGV[3]))
    if lease then return lease end
  end
end

while looks < LOOKS do
  looks = looks + 1
  local group = redis.call('LMOVE', RING, RING, 'LEFT', 'RIGHT')
  if not group then return leave({}) end
  touch(group)
  local lease = first_of(group)
  if lease then
    lease[4] = lease[4] or group
    return leave(lease)
  end
  if not serviceable(group) then
    redis.call('LREM', RING, 0, group)
    CHANGED = true
  end
end
return leave(1)
