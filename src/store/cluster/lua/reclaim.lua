-- All leases of the owner lapse: a crawler that has died is back.
-- KEYS[1]   the shard   ARGV[1] to ARGV[7]   as all verbs of a shard have them (shard.lua)
-- ARGV[8]  "1": hosts are set aside no longer
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
  if ARGV[8] == "1" then
    for _, order in ipairs(call("HKEYS", S .. ":hosts")) do
      host(order).aside = 0
    end
  end
  return answer({})
end)
