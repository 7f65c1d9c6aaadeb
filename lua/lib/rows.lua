-- Rows, and the moves of one id between the sets.
--#include lib/lanes

needs('EXISTS', 'HEXISTS', 'HMGET', 'HSTRLEN', 'UNLINK', 'ZADD', 'ZREM', 'ZSCORE')

-- An error is copied into audit entries only. Long ones are read until a call has read so much of them;
-- one that is left unread counts as cut.
local SHORT_ERROR, long_errors_left = 4096, 1048576
local FIELDS, FIELDS_AND_ERROR = { 'attempts', 'stalled', 'group' }, { 'attempts', 'stalled', 'group', 'last_error' }

local function row_key(id)
  return BASE .. 'job:' .. id
end

local function reads_error(id)
  if ACTOR == '' or long_errors_left > 0 then return ACTOR ~= '' end
  local length = redis.pcall('HSTRLEN', row_key(id), 'last_error')
  return type(length) == 'number' and length <= SHORT_ERROR
end

-- nil when there is no row. `fault` is true when no verb may work on it: it is no hash, or its attempts
-- is no integer. `homeless` is true when its lane is no sorted set. Absent fields are false.
local function read_row(id)
  local with_error = reads_error(id)
  local found = redis.pcall('HMGET', row_key(id), unpack(with_error and FIELDS_AND_ERROR or FIELDS))
  if found.err then return { attempts = false, stalled = false, group = false, fault = true } end
  local row = { attempts = found[1], stalled = found[2], group = found[3], error = found[4], hash = true }
  if row.error and #row.error > SHORT_ERROR then long_errors_left = long_errors_left - #row.error end
  if ACTOR ~= '' and not with_error then row.error, row.is_cut = '', true end
  if not (row.attempts or row.stalled or row.group or row.error)
    and redis.call('EXISTS', row_key(id)) == 0 then
    return nil
  end
  row.fault = row.attempts and not whole(row.attempts)
  row.homeless = row.group and not lane_readable(row.group)
  return row
end

-- Whether the job can go back to where it waits.
local function can_wait(row)
  return not (row.fault or row.homeless)
end

local function token_of(row)
  return row.attempts or '0'
end

-- Whether one of the four sets holds the id; lanes are not looked into.
local function is_held(id)
  for _, set in ipairs({ PENDING, ACTIVE, SCHEDULE, DEAD }) do
    if redis.call('ZSCORE', set, id) then return true end
  end
  return false
end

-- Out of pending, schedule, dead and its own lane.
local function leave_waiting(id, row)
  redis.call('ZREM', PENDING, id)
  redis.call('ZREM', SCHEDULE, id)
  redis.call('ZREM', DEAD, id)
  if row and row.group and lane_readable(row.group) then
    if redis.call('ZREM', lane_key(row.group), id) == 1 then touch(row.group) end
  end
end

-- Out of active; a grouped job gives its slot back. True when it was there.
local function leave_active(id, row)
  local was_there = redis.call('ZREM', ACTIVE, id) == 1
  if was_there and row and row.group then fly(row.group, -1) end
  return was_there
end

-- Back: a grouped job to its own lane, any other to pending. `stalled` is written along when given.
local function back(id, row, stalled)
  redis.call('ZREM', SCHEDULE, id)
  redis.call('ZREM', DEAD, id)
  if row.group then
    redis.call('ZREM', PENDING, id)
    redis.call('ZADD', lane_key(row.group), 0, id)
    touch(row.group)
  else
    redis.call('ZADD', PENDING, 0, id)
  end
  if stalled then
    redis.call('HSET', row_key(id), 'state', 'pending', 'stalled', stalled)
  else
    redis.call('HSET', row_key(id), 'state', 'pending')
  end
end

local function into_dead(id, row)
  leave_waiting(id, row)
  redis.call('ZADD', DEAD, 0, id)
end

-- A row that nobody can work on goes to dead as it is, so that no worker meets it again.
local function set_aside(id, row, deadline)
  leave_active(id, row)
  into_dead(id, row)
  moved(id, 'unreadable', row, deadline)
end

local function bump(metric, by)
  if by == 0 then return end
  local key = BASE .. 'metrics:' .. metric
  redis.call('HSET', key, 'count', (whole(redis.call('HGET', key, 'count')) or 0) + by)
end

local SIDE_KEYS = { ':logs', ':lock', ':dependencies', ':processed', ':failed', ':unsuccessful' }

-- A key behind a row may be the row of another job, whose id happens to end like a side key.
local function is_row(key)
  if key_type(key) ~= 'hash' then return false end
  return redis.call('HEXISTS', key, 'attempts') == 1 or redis.call('HEXISTS', key, 'state') == 1
end

local function delete_side_key(id, suffix)
  local key = row_key(id) .. suffix
  if not is_row(key) then redis.call('UNLINK', key) end
end

local function is_locked(id)
  local key = row_key(id) .. ':lock'
  return redis.call('EXISTS', key) == 1 and not is_row(key)
end

-- The row and every side key of a job; big ones are freed behind the call.
local function delete_keys(id)
  redis.call('UNLINK', row_key(id))
  for _, suffix in ipairs(SIDE_KEYS) do delete_side_key(id, suffix) end
end
