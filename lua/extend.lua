-- Renews a lease: its deadline becomes now + lease.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] job id
-- ARGV[4] token
-- ARGV[5] lease, ms
-- Reply: 1 renewed
-- Error: EMQGONE no row
-- Error: EMQSTALE the token is not the job's attempts
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'extend'
--#include lib/one

local early = enter()
if early then return early end

local id = ARGV[3]
local row, refusal = sound_row(id)
if refusal then return refusal end
if token_of(row) ~= ARGV[4] then return redis.error_reply('EMQSTALE extend token mismatch') end
local deadline = redis.call('ZSCORE', ACTIVE, id)
if not deadline then
  return redis.error_reply('EMQSTATE the job is not active, its lease has ended')
end
redis.call('ZADD', ACTIVE, NOW + tonumber(ARGV[5]), id)
moved(id, 'extended', row, tonumber(deadline))
return leave(1, { lease_ms = tonumber(ARGV[5]) })
