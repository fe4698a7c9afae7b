-- What verbs that work in a shard share; it stands before each of them.
-- KEYS[1]  the shard: trawl:{CRAWL:NUMBER}. Every other key is this one and a suffix, so that all are in one slot:
--            (itself)       string  packed: see `r`
--            :u:K           list    rows of the URLs K * ROWS + 1 to K * ROWS + ROWS; see `row` below
--            :seen:B        hash    fingerprint (8 bytes) -> id * 256 + level of cash; negative: only recorded as dropped
--            :names         hash    host -> its order: 4 bytes that grow as hosts become known
--            :hosts         hash    order -> packed: see hosts.lua
--            :q:CLASS:ORDER list    ids that wait, in the order of their places      :back:ORDER  list  ids given back
--            :due:TIER      zset    order by time, of hosts that may be leased and are below their share
--            :over:TIER     zset    the same, of hosts that hold their share and could have more
--            :leases        zset    TOKEN:ID:OWNER (the token with 16 digits) by the time it expires
--            :delayed       zset    id (4 bytes) by the time it is due                :again  zset  the same, of what has ended
--            :ends          hash    reason -> URLs that have ended so
--            :state         hash    host -> state
--            :robots  :reached  hashes  host -> pointer to the newest copy of its robots.txt, and to the newest that was reached
--            :spilled       hash    K -> version of the blob that has its rows; with "+": some of them are pending
--            :last:OWNER:VERB  string  packed: number and answer of the call that OWNER made last, for an hour
-- ARGV[1] now, ms   ARGV[2] owner   ARGV[3] number of the call   ARGV[4] "1": its answer may have been lost, it is made again
-- ARGV[5] leases a host may have    ARGV[6] its share of them    ARGV[7] a number for chance; "": no cash is kept
-- Ids are numbers within the shard here. Times stay below 2^53.
local S, call = KEYS[1], redis.call
local ROWS = 64
local now, concurrency, share, seed = tonumber(ARGV[1]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local last_answer = S .. ":last:" .. ARGV[2] .. ":" .. VERB
if ARGV[4] == "1" then
  local before = call("GET", last_answer)
  if before then
    local number, answer = cmsgpack.unpack(before)
    if number == ARGV[3] then
      return answer
    end
  end
end

-- URLs queued, leased, delayed; hosts with any; the last id, the last token; hosts known, URLs queued again; buckets of seen,
-- fingerprints in them; no lease expires before `expiry`, no delay ends before `wake` (-1: there is none); URLs in :again;
-- and of each tier in use, in order: the tier, hosts in its :due, hosts in its :over.
local r = {}
local packed = call("GET", S)
if packed then
  r.queued, r.leased, r.delayed, r.pending, r.last, r.token, r.known, r.returns, r.buckets, r.seen, r.expiry, r.wake, r.again, r.tiers =
    cmsgpack.unpack(packed)
else
  r = { queued = 0, leased = 0, delayed = 0, pending = 0, last = 0, token = 0, known = 0, returns = 0, buckets = 1, seen = 0 }
  r.expiry, r.wake, r.again, r.tiers = -1, -1, 0, {}
end

local function keep_record()
  call(
    "SET",
    S,
    cmsgpack.pack(
      r.queued,
      r.leased,
      r.delayed,
      r.pending,
      r.last,
      r.token,
      r.known,
      r.returns,
      r.buckets,
      r.seen,
      r.expiry,
      r.wake,
      r.again,
      r.tiers
    )
  )
end

-- A row: a letter (q: waits in its class; o: leased, given back or delayed; e: ended; x: the same, dropped by
-- a lease; d: recorded as dropped and nothing else), the class
-- that it waits in, the class in whose list it stands though it was taken by the short list ("-": none), fingerprint (8
-- bytes), order of the host (4), length of what follows (1), fields that only some have, and a tail that the client alone
-- reads. Of a drop that was undone "" is left. Nil: it is spilled; o rows never are.
local fresh, base = {}, r.last

local function chunk(id)
  local at = (id - 1) % ROWS
  return S .. ":u:" .. (id - 1 - at) / ROWS, at
end

local function read(id)
  if id > base then
    return fresh[id - base]
  end
  local key, at = chunk(id)
  return call("LINDEX", key, at) or nil
end

local function write(id, row)
  if id > base then
    fresh[id - base] = row
  else
    local key, at = chunk(id)
    call("LSET", key, at, row)
  end
end

local function append(row)
  r.last = r.last + 1
  fresh[r.last - base] = row
  return r.last
end

local function keep_rows()
  local from = 1
  while from <= #fresh do
    local key, at = chunk(base + from)
    local to = math.min(#fresh, from + ROWS - at - 1)
    call("RPUSH", key, unpack(fresh, from, to))
    from = to + 1
  end
end

local function order_in(row)
  return string.sub(row, 12, 15)
end

-- The fields that only some have, "" where it has none: how it ended; where its latest record is; that with which it ended
-- last, of one that comes back; its attempt; its attempt and time when it was put off last; its place among what waits, of
-- one that comes back.
local function fields(row)
  local length = string.byte(row, 16)
  if length == 0 then
    return "", "", "", "", "", "", ""
  end
  local of = "^([^,]*),?([^,]*),?([^,]*),?([^,]*),?([^,]*),?([^,]*),?([^,]*)$"
  return string.match(string.sub(row, 17, 16 + length), of)
end

local function tail(row)
  return string.sub(row, 17 + string.byte(row, 16))
end

local function with_fields(row, ...)
  local text = string.gsub(table.concat({ ... }, ","), ",+$", "")
  return string.sub(row, 1, 15) .. string.char(#text) .. text .. tail(row)
end

local function with_letter(row, letter)
  return letter .. string.sub(row, 2)
end
