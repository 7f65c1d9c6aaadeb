-- Resumes one paused lane.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] group
-- Reply: 1 changed, 0 it was so already
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'resume_lane'
--#include lib/lanes

needs('SREM')
local early = enter()
if early then return early end

CHANGED = redis.call('SREM', PAUSED, ARGV[3]) == 1
touch(ARGV[3])
settle()
return leave(CHANGED and 1 or 0, { group = ARGV[3] })
