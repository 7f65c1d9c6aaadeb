-- Deletes waiting ungrouped jobs, and scheduled ones when asked. Active, dead and lanes stay.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] 1 to drain schedule too, else 0
-- ARGV[4] budget: how many ids this call may take
-- Reply: how many were removed, 1 when there is more, how many of the removed a flow parent waits for
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'drain'
--#include lib/flows

needs('ZRANGE')
local early = enter()
if early then return early end

local budget, taken, removed, stranded = tonumber(ARGV[4]), 0, 0, 0
-- The marker of a worker that tracks the job is left to run out.
local DRAINED_SIDES = { ':logs', ':dependencies', ':processed', ':failed', ':unsuccessful' }

-- A job that is in flight as well keeps its row: only the waiting copy goes.
local function delete(set, id)
  local row, deadline = read_row(id), redis.call('ZSCORE', ACTIVE, id)
  if deadline then
    redis.call('ZREM', set, id)
    moved(id, 'active', row, tonumber(deadline))
    return
  end
  if row and row.hash and is_child(id) then stranded = stranded + 1 end
  leave_waiting(id, row)
  redis.call('UNLINK', row_key(id))
  for _, suffix in ipairs(DRAINED_SIDES) do delete_side_key(id, suffix) end
  moved(id, 'removed', row)
  removed = removed + 1
end

local function empty(set)
  if taken < budget then
    for _, id in ipairs(redis.call('ZRANGE', set, 0, budget - taken - 1)) do
      delete(set, id)
      taken = taken + 1
    end
  end
  return redis.call('ZCARD', set)
end

local left = empty(PENDING)
if ARGV[3] == '1' then left = left + empty(SCHEDULE) end
return leave(
  { removed, left > 0 and 1 or 0, stranded },
  { include_schedule = ARGV[3] == '1', budget = budget }
)
