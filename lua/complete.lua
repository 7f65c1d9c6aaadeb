-- Ends a job that its worker finished. A late call takes it out of wherever a sweep put it.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] job id
-- ARGV[4] token
-- Reply: 1 completed
-- Error: EMQGONE no row
-- Error: EMQSTALE the token is not the job's attempts
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'complete'
--#include lib/one

local early = enter()
if early then return early end

local id = ARGV[3]
local row, refusal = sound_row(id)
if refusal then return refusal end
if token_of(row) ~= ARGV[4] then return redis.error_reply('EMQSTALE complete token mismatch') end
local deadline = redis.call('ZSCORE', ACTIVE, id)
leave_active(id, row)
leave_waiting(id, row)
redis.call('DEL', row_key(id))
bump('completed', 1)
moved(id, 'completed', row, tonumber(deadline or nil))
return leave(1)
