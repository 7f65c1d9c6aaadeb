-- Replaces the payload of one job.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] job id
-- ARGV[4] payload
-- ARGV[5] token; empty is no fence
-- ARGV[6] SHA-1, in hex, of the payload that the caller saw; empty is no fence
-- Reply: 1 replaced
-- Error: EMQGONE no row
-- Error: EMQSTALE the token is not the job's attempts
-- Error: EMQSTATE the payload is not the one that was seen, a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'update_payload'
--#include lib/named
--#include lib/one

local early = enter()
if early then return early end

local id = ARGV[3]
local row, refusal = sound_row(id)
if refusal then return refusal end
if is_changed(row, ARGV[5]) then return redis.error_reply('EMQSTALE update_payload token mismatch') end
if ARGV[6] ~= '' and redis.sha1hex(redis.call('HGET', row_key(id), 'payload') or '') ~= ARGV[6] then
  return redis.error_reply('EMQSTATE the payload of the job changed meanwhile')
end
redis.call('HSET', row_key(id), 'payload', ARGV[4])
moved(id, 'updated', row)
return leave(1)
