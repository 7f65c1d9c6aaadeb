-- Moves named jobs to dead with the operator's reason. The failed counter is the workers' and stays.
-- An id is looked for in lanes beside its place: at most 100,000 looks a call, lanes on the ring first.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] reason
-- ARGV[4] 1 to override child and active, else 0
-- ARGV[5] first of the pairs job id, token; an empty token is no fence
-- Reply: 0, id, outcome, id, outcome…: buried, changed, active, child, already_dead, gone, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'bury'
--#include lib/named

local early = enter()
if early then return early end

local reason, force = ARGV[3], ARGV[4] == '1'

-- A flow parent that waits for its children is part of the flow as they are.
local function belongs_to_flow(id)
  return is_child(id) or redis.call('HGET', row_key(id), 'state') == 'awaiting_children'
end

-- A copy in dead beside one that a worker may still take does not make a job dead.
local function is_only_dead(id, row)
  if not redis.call('ZSCORE', DEAD, id) then return false end
  if redis.call('ZSCORE', PENDING, id) or redis.call('ZSCORE', SCHEDULE, id) then return false end
  if stands_beside(id, row) then return false end
  if not row.group or row.homeless then return true end
  return not redis.call('ZSCORE', lane_key(row.group), id)
end

local reply = each_named(5, function(id, token)
  local row = read_row(id)
  if not row then return 'gone' end
  if row.fault then return 'unreadable' end
  local deadline = redis.call('ZSCORE', ACTIVE, id)
  if not deadline and is_only_dead(id, row) then return 'already_dead' end
  if is_changed(row, token) then return 'changed' end
  if deadline and token == '' and not force then return 'active' end
  if not force and belongs_to_flow(id) then return 'child' end
  leave_active(id, row)
  into_dead(id, row)
  leave_beside(id, row)
  redis.call('HSET', row_key(id), 'state', 'dead', 'last_error', reason)
  moved(id, 'buried', row, tonumber(deadline or nil))
  return 'buried'
end)
return leave(reply, { reason = reason, force = force })
