-- Undoes a requeue for jobs that still wait: back to dead, with the error and stall count given.
-- An id is looked for in lanes beside its place: at most 100,000 looks a call, lanes on the ring first.
-- KEYS[1] the queue's base, emq:{q}:
-- KEYS[2] the console's base, emqadmin:{q}:
-- ARGV[1] actor, empty for none
-- ARGV[2] op_id, empty for none
-- ARGV[3] first of the fours job id, token, error behind a +, stall count; error and count may be empty for none
-- Reply: id, outcome, id, outcome…: returned, changed, not_waiting, gone, unreadable
-- Error: EMQSTATE a key of the queue has a wrong type, or the kept reply cannot be read; nothing was written
-- Error: EMQREPLAY the op_id names a call of another verb
local VERB = 'return_to_dead'
--#include lib/named

local early = enter()
if early then return early end

local function restore(id, error, stalled)
  redis.call('HSET', row_key(id), 'state', 'dead')
  if error == '' then
    redis.call('HDEL', row_key(id), 'last_error')
  else
    redis.call('HSET', row_key(id), 'last_error', string.sub(error, 2))
  end
  if stalled == '' then
    redis.call('HDEL', row_key(id), 'stalled')
  else
    redis.call('HSET', row_key(id), 'stalled', stalled)
  end
end

local function waits(id, row)
  if redis.call('ZSCORE', ACTIVE, id) then return false end
  if redis.call('ZSCORE', PENDING, id) then return true end
  return row.group and not row.homeless and redis.call('ZSCORE', lane_key(row.group), id)
end

local function judge(id, token, error, stalled)
  local row = read_row(id)
  if not row then return 'gone' end
  if row.fault then return 'unreadable' end
  if not waits(id, row) then return 'not_waiting' end
  if is_changed(row, token) then return 'changed' end
  into_dead(id, row)
  leave_beside(id, row)
  restore(id, error, stalled)
  moved(id, 'returned', row)
  return 'returned'
end

local reply = {}
look_beside(3, 4)
for at = 3, #ARGV, 4 do
  reply[#reply + 1] = ARGV[at]
  reply[#reply + 1] = judge(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
end
return leave(reply)
