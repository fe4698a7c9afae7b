-- Queues URLs again that have ended and were not dropped; all others are passed over.
-- ARGV[8...]  id, class; and so on
-- Result: for each 1 (queued), 0 or -10 (nothing is done, its row must be brought back first); then how the shard stands
refresh()
local told = {}
for i = 8, #ARGV, 2 do
  local id, class = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
  local row = id >= 1 and id <= r.last and read(id) or ""
  local says = 0
  if id >= 1 and id <= r.last and not read(id) then
    says = -10
  elseif string.byte(row, 1) == 101 then
    local one = host(order_in(row))
    local reason, visit = fields(row)
    ended(reason, -1)
    r.returns = r.returns + 1
    r.again = r.again - call("ZREM", S .. ":again", struct.pack(">I4", id))
    local again = "q" .. class .. string.sub(row, 3)
    write(id, with_fields(again, "", visit, visit, "", "", "", r.last .. "/" .. r.returns))
    push(one, id, class)
    says = 1
  end
  told[#told + 1] = says
end
return answer(told)
