-- Pauses the whole queue: nothing is claimed, nothing moves.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- Reply: 1 changed, 0 it was so already
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'pause'
--#include lib/lanes

needs('HEXISTS')
local early = enter()
if early then return early end

local was_paused = redis.call('HEXISTS', BASE .. 'meta', 'paused') == 1
if not was_paused then redis.call('HSET', BASE .. 'meta', 'paused', '1') end
CHANGED = not was_paused
return leave(CHANGED and 1 or 0)
