-- Verbs on one named job.
--#include lib/rows

-- The row of the job, or nil and the refusal to answer.
local function sound_row(id)
  local row = read_row(id)
  if not row then return nil, redis.error_reply('EMQGONE the job has no row') end
  if row.fault then return nil, redis.error_reply('EMQSTATE the row is unreadable') end
  return row
end
