-- Ends one named lease before its deadline and counts the stall. For a worker known to be dead.
-- An id is looked for in lanes beside its place: at most 100,000 looks a call, lanes on the ring first.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] job id
-- ARGV[4] token
-- ARGV[5] max_stalled, at least 1
-- Reply: recovered or dead
-- Error: EMQGONE no row
-- Error: EMQSTALE the token is not the job's attempts
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'recover_now'
--#include lib/lapsed
--#include lib/lost
--#include lib/one

local early = enter()
if early then return early end

local id = ARGV[3]
local row, refusal = sound_row(id)
if refusal then return refusal end
if row.homeless then return redis.error_reply('EMQSTATE the lane is no sorted set') end
local deadline = redis.call('ZSCORE', ACTIVE, id)
if not deadline then return redis.error_reply('EMQSTATE the job is not active') end
if token_of(row) ~= ARGV[4] then return redis.error_reply('EMQSTALE recover_now token mismatch') end
look_beside(3, #ARGV)
local outcome = stall_one(id, row, tonumber(deadline), tonumber(ARGV[5]))
leave_beside(id, row)
if outcome == 'dead' then bump('failed', 1) end
return leave(outcome, { max_stalled = tonumber(ARGV[5]) })
