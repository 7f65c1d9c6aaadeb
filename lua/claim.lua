-- Takes the first waiting ungrouped job as a lease.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] lease, ms
-- Reply: id, payload, attempts (the token) and the group of a grouped job
-- Reply: empty: nothing waits, or the queue is paused
-- Reply: 1: only ids without a workable row were met; call again
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'claim'
--#include lib/claim

needs('ZPOPMIN')
local early = enter()
if early then return early end

if redis.call('HEXISTS', BASE .. 'meta', 'paused') == 1 then return leave({}) end
for _ = 1, LOOKS do
  local id = redis.call('ZPOPMIN', PENDING)[1]
  if not id then return leave({}) end
  local lease = take(id, tonumber(ARGV[3]))
  if lease then return leave(lease) end
end
return leave(1)
