-- The frame of every call: its bases, its clock, its replay, its audit entry.
-- The script that includes it sets VERB first, asks enter() before anything else and ends with leave().

local BASE, ADMIN = KEYS[1], KEYS[2]
local ACTOR, OP_ID = ARGV[1], ARGV[2]
local AUDIT, KEPT = ADMIN .. 'audit', ADMIN .. 'op:' .. OP_ID
local PENDING, ACTIVE = BASE .. 'pending', BASE .. 'active'
local SCHEDULE, DEAD = BASE .. 'schedule', BASE .. 'dead'
local KEEP_MS, AUDIT_LENGTH, ERROR_BYTES = 86400000, 100000, 65536

local clock = redis.call('TIME')
local NOW = clock[1] * 1000 + math.floor(clock[2] / 1000)

-- One entry a job: id, outcome, attempts, stalled, deadline, group, error, error was cut.
local MOVED, CHANGED = {}, false

-- A canonical integer that a double holds exactly; else nil.
local MOST = 9007199254740991
local function whole(text)
  if text and #text <= 17 and (text == '0' or string.find(text, '^-?[1-9]%d*$')) then
    local number = tonumber(text)
    if math.abs(number) <= MOST then return number end
  end
end

local function key_type(key)
  return redis.call('TYPE', key).ok
end

local function type_refusal(key, kind, name)
  local found = key_type(key)
  if found ~= 'none' and found ~= kind then
    return redis.error_reply('EMQSTATE ' .. name .. ' is a ' .. found .. ', not a ' .. kind)
  end
end

-- An error in the middle of a script does not undo what it wrote, so every key that a verb may
-- touch is looked at before its first write.
local function wrong_type()
  local expected = {
    { PENDING, 'zset', 'pending' }, { ACTIVE, 'zset', 'active' }, { SCHEDULE, 'zset', 'schedule' },
    { DEAD, 'zset', 'dead' }, { BASE .. 'gactive', 'hash', 'gactive' },
    { BASE .. 'glimit', 'hash', 'glimit' }, { BASE .. 'paused', 'set', 'paused' },
    { BASE .. 'ring', 'list', 'ring' }, { BASE .. 'wake', 'list', 'wake' },
    { BASE .. 'meta', 'hash', 'meta' },
    { BASE .. 'metrics:completed', 'hash', 'metrics:completed' },
    { BASE .. 'metrics:failed', 'hash', 'metrics:failed' },
    { AUDIT, 'stream', 'audit' },
  }
  for _, wanted in ipairs(expected) do
    local refusal = type_refusal(unpack(wanted))
    if refusal then return refusal end
  end
end

local function kept_reply()
  if OP_ID == '' then return nil end
  local refusal = type_refusal(KEPT, 'string', 'the kept reply')
  if refusal then return refusal end
  local kept = redis.call('GET', KEPT)
  if not kept then return nil end
  local readable, verb, reply = pcall(cmsgpack.unpack, kept)
  if not readable or type(verb) ~= 'string' or reply == nil then
    return redis.error_reply('EMQSTATE the reply kept under this op_id cannot be read')
  end
  if verb ~= VERB then
    return redis.error_reply('EMQREPLAY this op_id already names a call of ' .. verb)
  end
  return reply
end

-- The same holds for rights, those of reads too: a user who lacks one of them changes nothing at all.
-- Each file names here, before enter(), what it calls on keys of the queue beside what its includes name.
local needed = {}
local function needs(...)
  for _, command in ipairs({ ... }) do needed[#needed + 1] = command end
end

needs('TIME', 'TYPE')

-- Servers before 7.0 cannot be asked. The server looks at the command and its keys only, so that the
-- key may stand for whatever else a command takes.
local function missing_right()
  if not redis.acl_check_cmd then return nil end
  local some_key = BASE .. 'meta'
  local asked = {}
  for _, command in ipairs(needed) do asked[#asked + 1] = { command, some_key, some_key } end
  if ACTOR ~= '' then
    asked[#asked + 1] = { 'XADD', AUDIT, '*', '', '' }
    asked[#asked + 1] = { 'XINFO', 'STREAM', AUDIT }
  end
  if OP_ID ~= '' then
    asked[#asked + 1] = { 'SET', KEPT, '' }
    asked[#asked + 1] = { 'GET', KEPT }
  end
  for _, command in ipairs(asked) do
    if not redis.acl_check_cmd(unpack(command)) then
      return redis.error_reply('NOPERM this user may not run ' .. command[1] .. '; nothing was changed')
    end
  end
end

-- And for the audit: a stream that had the greatest id of all, even if that entry is gone, takes no other.
local GREATEST_ID = '18446744073709551615-18446744073709551615'
local function used_up_audit()
  if ACTOR == '' or key_type(AUDIT) == 'none' then return nil end
  local about = redis.call('XINFO', 'STREAM', AUDIT)
  for at = 1, #about, 2 do
    if about[at] == 'last-generated-id' and about[at + 1] == GREATEST_ID then
      return redis.error_reply('EMQSTATE the audit has used up its ids and takes no more entries')
    end
  end
end

-- What to answer at once: the kept reply of a replay, or an error. Else nil.
local function enter()
  return kept_reply() or wrong_type() or missing_right() or used_up_audit()
end

local function moved(id, outcome, row, deadline, stalled)
  CHANGED = true
  if ACTOR == '' then return end
  row = row or {}
  MOVED[#MOVED + 1] = {
    id, outcome, whole(row.attempts) or row.attempts or false,
    stalled or whole(row.stalled) or row.stalled or false,
    deadline or false, row.group or false, row.error or false, row.is_cut or false,
  }
end

-- The errors of one entry share a bound: what a short one leaves goes to those behind it.
local function share_errors()
  local left = ERROR_BYTES
  for i, job in ipairs(MOVED) do
    local allowed = math.floor(left / (#MOVED - i + 1))
    if job[7] and #job[7] > allowed then
      job[7], job[8] = string.sub(job[7], 1, allowed), true
    end
    left = left - (job[7] and #job[7] or 0)
  end
end

local function write_audit(detail)
  share_errors()
  local entry = {
    AUDIT, 'MAXLEN', '~', AUDIT_LENGTH, '*', 'op', VERB, 'op_id', OP_ID, 'actor', ACTOR,
    't', NOW, 'n', #MOVED, 'jobs', cmsgpack.pack(MOVED),
  }
  if detail then
    entry[#entry + 1] = 'detail'
    entry[#entry + 1] = cmsgpack.pack(detail)
  end
  redis.call('XADD', unpack(entry))
end
