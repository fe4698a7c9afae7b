-- Gives a turn on an address back.
-- KEYS[1]  the clock of the address   ARGV[1] to ARGV[4]   as both verbs of an address have them (address.lua)
-- ARGV[5]  when the next one may begin
-- Result: 1; 0 when it is not held, and nothing changes
verb("give", function()
  local address = load()
  if not address.open[token] then
    return 0
  end
  address.open[token] = nil
  address.ready = math.max(address.ready, tonumber(ARGV[5]))
  save(address)
  return 1
end)
