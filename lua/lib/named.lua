-- Verbs on named jobs: (id, token) pairs in, one outcome each out.
--#include lib/lost

-- Looks for all ids beside their places, then calls judge(id, token, position) once for each id of the
-- pairs that start at ARGV[first]; they are tuples of another `width` where a verb asks for more.
-- Replies 0, id, outcome, id, outcome…, so that a replay can answer by itself. It stops early when
-- is_enough() says so, and then replies 1 first: the caller asks again for the ids without an answer.
local function each_named(first, judge, is_enough, width)
  local reply, answered = { 0 }, {}
  width = width or 2
  look_beside(first, width)
  for at = first, #ARGV, width do
    if is_enough and is_enough() then
      reply[1] = 1
      break
    end
    local id = ARGV[at]
    if not answered[id] then answered[id] = judge(id, ARGV[at + 1], (at - first) / width + 1) end
    reply[#reply + 1] = id
    reply[#reply + 1] = answered[id]
  end
  return reply
end

-- Whether the job was claimed since the caller saw it. An empty token is no fence.
local function is_changed(row, token)
  return token ~= '' and token ~= token_of(row)
end
