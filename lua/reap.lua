-- Gives jobs whose lease lapsed back to waiting, without a count.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] limit
-- Reply: three lists of ids: recovered, orphaned, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'reap'
--#include lib/lapsed

local early = enter()
if early then return early end

local ended = { recovered = {}, orphaned = {}, unreadable = {} }
local found = lapsed(tonumber(ARGV[3]))
for at = 1, #found, 2 do
  local id = found[at]
  local outcome = reap_one(id, read_row(id), tonumber(found[at + 1]))
  table.insert(ended[outcome], id)
end
return leave({ ended.recovered, ended.orphaned, ended.unreadable }, { limit = tonumber(ARGV[3]) })
