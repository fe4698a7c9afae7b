-- Which of these leases are current, and how the shard stands.
-- ARGV[4...]  tokens
-- Result: for each 1 or 0; then how the shard stands
refresh()
local told = {}
for i = 4, #ARGV do
  told[#told + 1] = call("HEXISTS", shard .. ":leases", ARGV[i])
end
return { told, standing() }
