-- Sets or takes away how many jobs of one lane may be in flight.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] group
-- ARGV[4] limit, at least 1; empty takes it away
-- Reply: 1 changed, 0 it was so already
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'limit_lane'
--#include lib/lanes

local early = enter()
if early then return early end

local group, limit = ARGV[3], ARGV[4]
if limit == '' then
  CHANGED = redis.call('HDEL', GLIMIT, group) == 1
else
  CHANGED = redis.call('HGET', GLIMIT, group) ~= limit
  redis.call('HSET', GLIMIT, group, limit)
end
touch(group)
return leave(CHANGED and 1 or 0, { group = group, n = tonumber(limit) })
