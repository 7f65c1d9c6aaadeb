-- Verbs on named jobs: (id, token) pairs in, one outcome each out.
--#include lib/flows

-- Calls judge(id, token, position) once for each id of the pairs that start at ARGV[first].
-- Replies 0, id, outcome, id, outcome…, so that a replay can answer by itself. It stops early when
-- is_enough() says so, and then replies 1 first: the caller asks again for the ids without an answer.
local function each_named(first, judge, is_enough)
  local reply, answered = { 0 }, {}
  for at = first, #ARGV, 2 do
    if is_enough and is_enough() then
      reply[1] = 1
      break
    end
    local id = ARGV[at]
    if not answered[id] then answered[id] = judge(id, ARGV[at + 1], (at - first) / 2 + 1) end
    reply[#reply + 1] = id
    reply[#reply + 1] = answered[id]
  end
  return reply
end

-- Whether the job was claimed since the caller saw it. An empty token is no fence.
local function is_changed(row, token)
  return token ~= '' and token ~= token_of(row)
end

-- A child of a flow whose parent still waits for it, or lies in another queue: taking such a job away
-- strands the parent.
local function is_child(id)
  local parent, is_elsewhere = awaited_parent(id)
  return parent ~= nil or is_elsewhere
end
