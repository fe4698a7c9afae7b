-- Which leases are current, and what cash their URLs have. Changes nothing.
-- ARGV[8...]  TOKEN:ID:OWNER, as in :leases; and so on
-- Result: for each the level of its cash, -1 when it is not current
shard_verb("fence", function()
  local told = {}
  for i = 8, #ARGV do
    local expires = call("ZSCORE", S .. ":leases", ARGV[i])
    local says = -1
    if expires and tonumber(expires) > now then
      says = 0
      if seed ~= "" then
        local id = tonumber(sub(ARGV[i], 18, string.find(ARGV[i], ":", 18, true) - 1))
        says = level_of(read(id))
      end
    end
    told[#told + 1] = says
  end
  return told
end)
