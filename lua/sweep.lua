-- Ends lapsed leases and counts each stall: back to waiting, or to dead at max_stalled.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] max_stalled, at least 1
-- ARGV[4] limit
-- Reply: four lists of ids: recovered, dead, orphaned, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'sweep'
--#include lib/lapsed

local early = enter()
if early then return early end

local max_stalled, limit = tonumber(ARGV[3]), tonumber(ARGV[4])
local ended = { recovered = {}, dead = {}, orphaned = {}, unreadable = {} }
local found = lapsed(limit)
for at = 1, #found, 2 do
  local id = found[at]
  local outcome = stall_one(id, read_row(id), tonumber(found[at + 1]), max_stalled)
  table.insert(ended[outcome], id)
end
bump('failed', #ended.dead)
return leave(
  { ended.recovered, ended.dead, ended.orphaned, ended.unreadable },
  { max_stalled = max_stalled, limit = limit }
)
