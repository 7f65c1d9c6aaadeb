-- Gives lapsed jobs of one lane back to it, without a count. Of the first lapsed members, others stay.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] group
-- ARGV[4] how many lapsed members to look at
-- Reply: three lists of ids: recovered, orphaned, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'reap_group'
--#include lib/lapsed

local early = enter()
if early then return early end

local ended = { recovered = {}, orphaned = {}, unreadable = {} }
local found = lapsed(tonumber(ARGV[4]))
for at = 1, #found, 2 do
  local id = found[at]
  local row = read_row(id)
  -- A row that is no hash does not say whose it is.
  if not row or not row.hash or row.group == ARGV[3] then
    local outcome = reap_one(id, row, tonumber(found[at + 1]))
    table.insert(ended[outcome], id)
  end
end
return leave(
  { ended.recovered, ended.orphaned, ended.unreadable },
  { group = ARGV[3], limit = tonumber(ARGV[4]) }
)
