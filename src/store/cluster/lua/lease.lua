-- Leases on the hosts that are due, the best first, as long as none elsewhere is better.
-- ARGV[4] how many   ARGV[5] good for, ms   ARGV[6] owner   ARGV[7] shards in all   ARGV[8] number of this one
-- ARGV[9...12]  the best host elsewhere: kind ("due", "over", "": none), tier, time, order
-- Result: leases (token, attempt, expiry, tier, host, row); then how the shard stands
refresh()
local RANK = { due = 0, over = 1 }

local function before(kind, one)
  if ARGV[9] == "" then
    return true
  end
  local mine = { RANK[kind], tonumber(one[1]), tonumber(one[2]), one[3] }
  local other = { RANK[ARGV[9]], tonumber(ARGV[10]), tonumber(ARGV[11]), ARGV[12] }
  for i = 1, 4 do
    if mine[i] ~= other[i] then
      return mine[i] < other[i]
    end
  end
  return true
end

local given = {}
local expires = string.format("%.17g", now + tonumber(ARGV[5]))
while #given < tonumber(ARGV[4]) do
  local kind, best = "due", first("due")
  if not best then
    kind, best = "over", first("over")
  end
  if not best or not before(kind, best) then
    break
  end
  local one = host(best[3])
  local row = shift(one)
  local number = call("HINCRBY", shard, "token", 1) * tonumber(ARGV[7]) + tonumber(ARGV[8])
  local token = string.format("%.0f", number)
  call("HSET", shard .. ":leases", token, one.order .. "\t" .. ARGV[6] .. "\t" .. row)
  call("ZADD", shard .. ":expiry", expires, digits(number))
  count("leased", 1)
  one.leased = one.leased + 1
  place(one)
  local attempt = call("HGET", shard .. ":tries", id_of(row)) or "1"
  given[#given + 1] = { token, attempt, expires, tostring(one.tier), one.name, row }
end
return { given, standing() }
