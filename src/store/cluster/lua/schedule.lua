-- Sets when URLs are due that have ended and were not dropped; all others are passed over.
-- ARGV[8...]  id, time ("": never); and so on
-- Result: for each 0, or -10: nothing is done, its row must be brought back first; then how the shard stands
local told = {}
for i = 8, #ARGV, 2 do
  local id, at = tonumber(ARGV[i]), ARGV[i + 1]
  local row = ""
  if id >= 1 and id <= r.last then
    row = read(id)
  end
  if row and byte(row, 1) == 101 then
    if at == "" then
      call("ZREM", S .. ":again", pack(">I4", id))
    else
      call("ZADD", S .. ":again", at, pack(">I4", id))
    end
  end
  told[#told + 1] = row and 0 or -10
end
r.due = earliest(":again")
return answer(told)
