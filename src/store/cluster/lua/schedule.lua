-- Sets when URLs are due that have ended and were not dropped; all others are passed over.
-- ARGV[8...]  id, time ("": never); and so on
-- Result: for each 0, or -10: nothing is done, its row must be brought back first; then how the shard stands
local told = {}
for i = 8, #ARGV, 2 do
  local id, at = tonumber(ARGV[i]), ARGV[i + 1]
  local row = id >= 1 and id <= r.last and read(id) or ""
  local says = 0
  if id >= 1 and id <= r.last and not read(id) then
    says = -10
  elseif string.byte(row, 1) == 101 then
    local member = struct.pack(">I4", id)
    if at == "" then
      r.again = r.again - call("ZREM", S .. ":again", member)
    else
      r.again = r.again + call("ZADD", S .. ":again", at, member)
    end
  end
  told[#told + 1] = says
end
return answer(told)
