-- Ends a failed attempt: back-off, or dead when the attempts are used up.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] job id
-- ARGV[4] token
-- ARGV[5] delay, ms
-- ARGV[6] max attempts
-- ARGV[7] error
-- Reply: scheduled or dead
-- Error: EMQSTALE the token is not the job's attempts, or there is no row
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'retry'
--#include lib/rows

local early = enter()
if early then return early end

local id = ARGV[3]
local row = read_row(id)
if row and row.fault then return redis.error_reply('EMQSTATE the row is unreadable') end
if not row or token_of(row) ~= ARGV[4] then
  return redis.error_reply('EMQSTALE retry token mismatch')
end
local deadline = redis.call('ZSCORE', ACTIVE, id)
if not deadline then
  return redis.error_reply('EMQSTATE the job is not active, its lease has ended')
end
local delay_ms, max_attempts = tonumber(ARGV[5]), tonumber(ARGV[6])
local outcome = (whole(row.attempts) or 0) >= max_attempts and 'dead' or 'scheduled'
local due = NOW + delay_ms
leave_active(id, row)
if outcome == 'dead' then
  into_dead(id, row)
  bump('failed', 1)
else
  leave_waiting(id, row)
  redis.call('ZADD', SCHEDULE, due, id)
end
redis.call('HSET', row_key(id), 'state', outcome, 'last_error', ARGV[7])
moved(id, outcome, row, tonumber(deadline))
return leave(outcome)
