-- Moves named scheduled jobs back to waiting before their time.
-- An id is looked for in lanes beside its place: at most 100,000 looks a call, lanes on the ring first.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] first of the pairs job id, token; an empty token is no fence
-- Reply: 0, id, outcome, id, outcome…: promoted, changed, not_scheduled, gone, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'promote_now'
--#include lib/named

local early = enter()
if early then return early end

local reply = each_named(3, function(id, token)
  local row = read_row(id)
  if not row then return 'gone' end
  if not can_wait(row) then return 'unreadable' end
  if not redis.call('ZSCORE', SCHEDULE, id) then return 'not_scheduled' end
  local deadline = redis.call('ZSCORE', ACTIVE, id)
  if deadline then
    redis.call('ZREM', SCHEDULE, id)
    moved(id, 'not_scheduled', row, tonumber(deadline))
    return 'not_scheduled'
  end
  if is_changed(row, token) then return 'changed' end
  back(id, row)
  leave_beside(id, row)
  moved(id, 'promoted', row)
  return 'promoted'
end)
return leave(reply)
