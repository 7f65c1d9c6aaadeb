-- Puts removed jobs back as they were kept: row, logs, side keys, and the set in which each waited.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] first of the kept jobs, msgpack arrays: id, set (waiting, schedule, dead, none), score, then flat lists of the row, of processed, failed and unsuccessful children, the log lines, dependencies, and the dedup id with its end in ms; false for absent
-- Reply: id, outcome, id, outcome…: restored, exists, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'restore'
--#include lib/rows

needs('PEXPIRE', 'SET')
local early = enter()
if early then return early end

-- All are read before the first write.
local jobs = {}
for at = 3, #ARGV do
  local id, set, score, fields, processed, failed, unsuccessful, logs, dependencies, dedup, ends =
    unpack(cmsgpack.unpack(ARGV[at]))
  local row = {}
  for i = 1, #fields, 2 do row[fields[i]] = fields[i + 1] end
  jobs[#jobs + 1] = {
    id = id, set = set, score = score, fields = fields, group = row.group or false, logs = logs or {},
    children = { [':processed'] = processed, [':failed'] = failed, [':unsuccessful'] = unsuccessful },
    dependencies = dependencies, dedup = dedup, ends = ends,
  }
end

-- An id that came back to life meanwhile, or whose side key is the row of another job.
local function exists(id, group)
  if redis.call('EXISTS', row_key(id)) == 1 or is_held(id) then return true end
  for _, suffix in ipairs(SIDE_KEYS) do
    if is_row(row_key(id) .. suffix) then return true end
  end
  return group and lane_readable(group) and redis.call('ZSCORE', lane_key(group), id)
end

local function write_hash(key, flat)
  for at = 1, #flat, MOST_VALUES do
    redis.call('HSET', key, unpack(flat, at, math.min(at + MOST_VALUES - 1, #flat)))
  end
end

local function write_children(job)
  for suffix, flat in pairs(job.children) do
    local key = row_key(job.id) .. suffix
    if flat and key_type(key) ~= 'hash' then redis.call('UNLINK', key) end
    write_hash(key, flat or {})
  end
end

-- In front of what a late worker may have logged since.
local function write_logs(id, lines)
  local key = row_key(id) .. ':logs'
  if #lines > 0 and key_type(key) ~= 'list' then redis.call('UNLINK', key) end
  for from = #lines, 1, -MOST_VALUES do
    local chunk = {}
    for at = from, math.max(from - MOST_VALUES + 1, 1), -1 do chunk[#chunk + 1] = lines[at] end
    redis.call('LPUSH', key, unpack(chunk))
  end
end

-- The idempotency key, unless its time is over or it names another job by now.
local function write_dedup(job)
  local key = job.dedup and BASE .. 'de:' .. job.dedup
  if not key or (job.ends and job.ends <= NOW) or redis.call('EXISTS', key) == 1 then return end
  redis.call('SET', key, job.id)
  if job.ends then redis.call('PEXPIRE', key, string.format('%d', job.ends - NOW)) end
end

local function into_set(job)
  if job.set == 'waiting' then
    back(job.id, { group = job.group })
  elseif job.set == 'schedule' then
    redis.call('ZADD', SCHEDULE, job.score, job.id)
    redis.call('HSET', row_key(job.id), 'state', 'scheduled')
  elseif job.set == 'dead' then
    redis.call('ZADD', DEAD, 0, job.id)
    redis.call('HSET', row_key(job.id), 'state', 'dead')
  end
end

local function judge(job)
  if exists(job.id, job.group) then return 'exists' end
  if job.set == 'waiting' and job.group and not lane_readable(job.group) then return 'unreadable' end
  write_hash(row_key(job.id), job.fields)
  write_logs(job.id, job.logs)
  write_children(job)
  if job.dependencies then redis.call('SET', row_key(job.id) .. ':dependencies', job.dependencies) end
  write_dedup(job)
  into_set(job)
  moved(job.id, 'restored', read_row(job.id))
  return 'restored'
end

local reply = {}
for _, job in ipairs(jobs) do
  reply[#reply + 1] = job.id
  reply[#reply + 1] = judge(job)
end
return leave(reply)
