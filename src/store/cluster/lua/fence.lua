-- Which leases are current, and what cash their URLs have. Changes nothing.
-- ARGV[8...]  TOKEN:ID:OWNER, as in :leases; and so on
-- Result: for each the level of its cash, -1 when it is not current
local told = {}
for i = 8, #ARGV do
  local expires = call("ZSCORE", S .. ":leases", ARGV[i])
  local says = -1
  if expires and tonumber(expires) > now then
    says = 0
    if seed ~= "" then
      local fingerprint = string.sub(read(tonumber(string.match(ARGV[i], "^%d+:(%d+):"))), 4, 11)
      says = math.abs(tonumber(call("HGET", bucket(fingerprint), fingerprint))) % 256
    end
  end
  told[#told + 1] = says
end
return told
