-- Taking one waiting id as a lease, for both kinds of claim.
--#include lib/rows

-- How many ids one call looks at before it answers that the caller should go on.
local LOOKS = 100

-- An id without a row is dropped, an unreadable row set aside: both answer nil.
local function take(id, lease_ms)
  local row = read_row(id)
  if not row then
    moved(id, 'orphaned')
    return nil
  end
  if row.fault then
    set_aside(id, row)
    return nil
  end
  local attempts = (whole(row.attempts) or 0) + 1
  if attempts > MOST then
    set_aside(id, row)
    return nil
  end
  leave_waiting(id, row)
  row.attempts = string.format('%d', attempts)
  redis.call('HSET', row_key(id), 'state', 'active', 'attempts', row.attempts)
  local is_new = redis.call('ZADD', ACTIVE, NOW + lease_ms, id) == 1
  if is_new and row.group then fly(row.group, 1) end
  moved(id, 'claimed', row, NOW + lease_ms)
  local payload = redis.call('HGET', row_key(id), 'payload') or ''
  return { id, payload, attempts, row.group or nil }
end
