-- Leases on the hosts that are due: of the lowest tier first, and of these the one due first; hosts that hold their share after
-- all others.
-- ARGV[8] how many   ARGV[9] good for, ms   ARGV[10] shards in all   ARGV[11] number of this one
-- Result: leases (token, id, attempt, tier, host, level of cash, pointer to its latest record, pointer to that with which it ended last,
-- the two words of its fingerprint, whether others have leased of its host since OWNER did, tail of the row), and the id whose row must be brought back before more can be leased (0: none); then how the shard stands
refresh()
local most, expires = tonumber(ARGV[8]), now + tonumber(ARGV[9])
local given, opened, missing = {}, {}, 0

local function lease(one)
  local id, row = shift(one)
  if not id then
    missing = row
    return false
  end
  r.token = r.token + 1
  local token = r.token * tonumber(ARGV[10]) + tonumber(ARGV[11])
  opened[#opened + 1] = expires
  opened[#opened + 1] = string.format("%016.0f:%.0f:%s", token, id, ARGV[2])
  r.leased = r.leased + 1
  one.leased = one.leased + 1
  local moved = one.lessee ~= ARGV[2] and 1 or 0
  one.lessee = ARGV[2]
  local _, visit, previous, attempt = fields(row)
  local level, fingerprint = 0, string.sub(row, 4, 11)
  if seed ~= "" then
    level = math.abs(tonumber(call("HGET", bucket(fingerprint), fingerprint))) % 256
  end
  attempt = attempt == "" and 1 or tonumber(attempt)
  local lo, hi = struct.unpack("<I4I4", fingerprint)
  given[#given + 1] = { token, id, attempt, one.tier, one.name, level, visit, previous, hi, lo, moved, tail(row) }
  return true
end

-- Leases on one host as long as it stays where it is: there it is the first.
local function serve(order)
  local one = host(order)
  local place = one.place
  while #given < most and one.place == place do
    if not lease(one) then
      return false
    end
    put_in_place(one)
  end
  return #given < most
end

local function serve_all(kind, part)
  local tiers = {}
  for i = 1, #r.tiers, 3 do
    if r.tiers[i + kind] > 0 then
      tiers[#tiers + 1] = r.tiers[i]
    end
  end
  for _, tier in ipairs(tiers) do
    for _, order in ipairs(call("ZRANGEBYSCORE", S .. part .. tier, "-inf", ARGV[1], "LIMIT", 0, most - #given)) do
      if not serve(order) then
        return false
      end
    end
  end
  return true
end

for _, one in pairs(touched) do
  put_in_place(one)
end
if serve_all(1, ":due:") then
  serve_all(2, ":over:")
end
if #opened > 0 then
  call("ZADD", S .. ":leases", unpack(opened))
  if r.expiry < 0 or expires < r.expiry then
    r.expiry = expires
  end
end
return answer({ given, missing })
