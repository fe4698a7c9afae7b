-- All leases of the owner lapse: a crawler that has died is back.
-- Result: nothing; then how the shard stands
shard_verb("reclaim", function()
  refresh()
  local owned = call("ZRANGE", S .. ":leases", 0, -1)
  table.sort(owned)
  for i = #owned, 1, -1 do
    if string.match(owned[i], "^%d+:%d+:(.*)$") == ARGV[2] then
      lapse(owned[i])
    end
  end
  return answer({})
end)
