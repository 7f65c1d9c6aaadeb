-- Creates a waiting job, unless its row exists.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] job id
-- ARGV[4] payload
-- ARGV[5] 1 when the job is grouped
-- ARGV[6] group
-- Reply: 1 created, 0 the row exists and nothing was written
-- Error: EMQKIND the id is not of namespace JOB
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'enqueue'
--#include lib/rows

local early = enter()
if early then return early end

local id, grouped = ARGV[3], ARGV[5] == '1'
if string.sub(id, 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND job id must be JOB-namespaced')
end
if redis.call('EXISTS', row_key(id)) == 1 then return leave(0) end
local row = { attempts = '0', group = grouped and ARGV[6] }
if grouped and not lane_readable(ARGV[6]) then
  return redis.error_reply('EMQSTATE the lane is no sorted set')
end
-- An orphan of the same id starts no second life beside this one.
leave_active(id, nil)
redis.call('HSET', row_key(id), 'attempts', '0', 'payload', ARGV[4])
if grouped then redis.call('HSET', row_key(id), 'group', ARGV[6]) end
back(id, row)
moved(id, 'enqueued', row)
return leave(1)
