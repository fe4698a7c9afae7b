-- Sets when URLs are due that have ended and were not dropped; all others are passed over.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8...]  id, time ("": never); and so on
-- Result: 1 and nothing; or 0 and ids: nothing is done, their rows must be brought back first; then how the shard stands
shard_verb("schedule", function()
  local away = rows_away()
  if #away > 0 then
    return answer({ 0, away })
  end
  for i = 8, #ARGV, 2 do
    local id, at = tonumber(ARGV[i]), ARGV[i + 1]
    local row = row_of(id)
    if byte(row, 1) == 101 then
      if at == "" then
        call("ZREM", S .. ":again", pack(">I4", id))
      else
        call("ZADD", S .. ":again", at, pack(">I4", id))
      end
    end
  end
  r.due = earliest(":again")
  return answer({ 1, {} })
end)
