-- Deletes named jobs: row, logs, side keys and every set or lane that holds them.
-- An id is looked for in lanes beside its place: at most 100,000 looks a call, lanes on the ring first.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] 1 to override active, locked and child, else 0
-- ARGV[4] dedup id, empty for none
-- ARGV[5] first of the threes job id, token, place; an empty one of both is no fence. A place is spelled as place_of() does
-- Reply: 0, id, outcome, id, outcome…: removed, changed, active, locked, child, gone; 1 first: ids were left unanswered, call again for them
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'remove'
--#include lib/named

needs('GET')
local early = enter()
if early then return early end

local force = ARGV[3] == '1'
local dedup = ARGV[4] ~= '' and BASE .. 'de:' .. ARGV[4]

local function delete(id, row)
  leave_active(id, row)
  leave_waiting(id, row)
  if row then leave_beside(id, row) end
  delete_keys(id)
  if dedup and key_type(dedup) == 'string' and redis.call('GET', dedup) == id then
    redis.call('DEL', dedup)
  end
end

-- Where the id is: its sets and its own lane, - for nowhere.
local function place_of(id, row)
  local names = {}
  for _, set in ipairs({ { 'pending', PENDING }, { 'active', ACTIVE }, { 'schedule', SCHEDULE }, { 'dead', DEAD } }) do
    if redis.call('ZSCORE', set[2], id) then names[#names + 1] = set[1] end
  end
  local group = row and row.group
  if group and lane_readable(group) and redis.call('ZSCORE', lane_key(group), id) then
    names[#names + 1] = 'lane:' .. group
  end
  return #names > 0 and table.concat(names, ',') or '-'
end

local function has_left(id, row, place)
  return place ~= '' and place ~= place_of(id, row)
end

-- What delete() needs to know: the row, with the lane when the row itself cannot say where the id waits.
local function found_row(id, row)
  if row and row.hash and (row.group or is_held(id)) then return row end
  local group = lane_of_lost(id)
  if not group then return row end
  row = row or { attempts = false, stalled = false }
  row.group = group
  return row
end

local function judge(id, token, at)
  local row = read_row(id)
  local is_elsewhere = has_left(id, row, ARGV[4 + 3 * at])
  local found = found_row(id, row)
  if not found and not is_held(id) then return 'gone' end
  local deadline = redis.call('ZSCORE', ACTIVE, id)
  if is_elsewhere or (row and row.hash and is_changed(row, token)) then return 'changed' end
  if row and not force then
    if deadline then return 'active' end
    if is_locked(id) then return 'locked' end
    if row.hash and is_child(id) then return 'child' end
  end
  delete(id, found)
  moved(id, 'removed', found, tonumber(deadline or nil))
  return 'removed'
end

local reply = each_named(5, judge, looked_enough, 3)
return leave(reply, { force = force })
