-- Flows: where the parent of a job is.
--#include lib/rows

-- The parent when it waits for its children in this queue, else nil; and whether it lies in another
-- queue, whose row nobody here can see.
local function awaited_parent(id)
  local parent, queue = unpack(redis.call('HMGET', row_key(id), 'parent', 'parent_queue'))
  if not parent then return nil, false end
  if queue and BASE ~= 'emq:{' .. queue .. '}:' then return nil, true end
  local waits = redis.pcall('HGET', row_key(parent), 'state') == 'awaiting_children'
  return waits and parent or nil, false
end

-- A child of a flow whose parent still waits for it, or lies in another queue: taking such a job away
-- strands the parent.
local function is_child(id)
  local parent, is_elsewhere = awaited_parent(id)
  return parent ~= nil or is_elsewhere
end
