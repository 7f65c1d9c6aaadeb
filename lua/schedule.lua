-- Creates a job that waits for its time, unless its row exists.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] job id
-- ARGV[4] payload
-- ARGV[5] at (a unix time) or in (a delay)
-- ARGV[6] ms
-- Reply: 1 created, 0 the row exists and nothing was written
-- Error: EMQKIND the id is not of namespace JOB
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'schedule'
--#include lib/rows

local early = enter()
if early then return early end

local id = ARGV[3]
if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
end
if redis.call('EXISTS', row_key(id)) == 1 then return leave(0) end
local run_at = tonumber(ARGV[6]) + (ARGV[5] == 'in' and NOW or 0)
leave_active(id, nil)
leave_waiting(id, nil)
redis.call('HSET', row_key(id), 'state', 'scheduled', 'attempts', '0', 'payload', ARGV[4])
redis.call('ZADD', SCHEDULE, run_at, id)
moved(id, 'scheduled', { attempts = '0' })
return leave(1)
