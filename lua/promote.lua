-- Moves scheduled jobs whose time has come back to waiting.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] how many members to look at
-- Reply: how many moved, how many were looked at
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'promote'
--#include lib/rows

needs('ZRANGEBYSCORE')
local early = enter()
if early then return early end

local due = redis.call('ZRANGEBYSCORE', SCHEDULE, '-inf', NOW, 'LIMIT', 0, tonumber(ARGV[3]))
local promoted = 0
for _, id in ipairs(due) do
  local row, deadline = read_row(id), redis.call('ZSCORE', ACTIVE, id)
  if not row then
    redis.call('ZREM', SCHEDULE, id)
    moved(id, 'orphaned')
  elseif not can_wait(row) then
    set_aside(id, row)
  elseif deadline then
    redis.call('ZREM', SCHEDULE, id)
    moved(id, 'not_scheduled', row, tonumber(deadline))
  else
    back(id, row)
    moved(id, 'promoted', row)
    promoted = promoted + 1
  end
end
return leave({ promoted, #due }, { limit = tonumber(ARGV[3]) })
