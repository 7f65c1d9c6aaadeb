-- Lapsed leases: finding them by the server's clock, and ending them.
--#include lib/rows

needs('ZRANGEBYSCORE')

-- Lapsed ids and their deadlines, longest past first, as a flat list.
local function lapsed(limit)
  return redis.call('ZRANGEBYSCORE', ACTIVE, '-inf', NOW, 'WITHSCORES', 'LIMIT', 0, limit)
end

-- Ends a lease that leads nowhere: 'orphaned', 'unreadable', or nil when the job can wait again.
local function end_unworkable(id, row, deadline)
  if not row then
    redis.call('ZREM', ACTIVE, id)
    moved(id, 'orphaned', nil, deadline)
    return 'orphaned'
  end
  if not can_wait(row) then
    set_aside(id, row, deadline)
    return 'unreadable'
  end
end

-- Ends a lease without a count.
local function reap_one(id, row, deadline)
  local ended = end_unworkable(id, row, deadline)
  if ended then return ended end
  leave_active(id, row)
  back(id, row)
  moved(id, 'recovered', row, deadline)
  return 'recovered'
end

-- Ends a lease and counts the stall: 'recovered', or 'dead' at `max_stalled`.
local function stall_one(id, row, deadline, max_stalled)
  local ended = end_unworkable(id, row, deadline)
  if ended then return ended end
  local stalled = (whole(row.stalled) or 0) + 1
  leave_active(id, row)
  local outcome = stalled >= max_stalled and 'dead' or 'recovered'
  if outcome == 'dead' then
    into_dead(id, row)
    redis.call('HSET', row_key(id), 'state', 'dead', 'last_error', 'stalled', 'stalled', stalled)
  else
    back(id, row, stalled)
  end
  moved(id, outcome, row, deadline, stalled)
  return outcome
end
