-- What verbs that work in a shard share; it stands before each of them.
-- KEYS[1]  the shard: trawl:{CRAWL:NUMBER}. Every other key is this one and a suffix, so that all are in one slot:
--            (itself)       string  packed: see RECORD
--            :u:K           list    rows of the URLs K * ROWS + 1 to K * ROWS + ROWS; see `read`
--            :seen          hash    bucket -> fingerprints with their ids and levels of cash: see table.lua
--            :filter:...    string  with filters of seen URLs: see filter.lua; :seen has drops alone then
--            :names         hash    host -> its order: 4 bytes that grow as hosts become known
--            :hosts         hash    order -> packed: see HOST in hosts.lua
--            :q:CLASS:ORDER list    ids that wait, in the order of their places      :back:ORDER  list  ids given back
--            :due:TIER      zset    order by time, of hosts that may be leased and are below their share
--            :over:TIER     zset    the same, of hosts that hold their share and could have more
--            :leases        zset    TOKEN:ID:OWNER (the token with 16 digits) by the time it expires
--            :delayed       zset    id (4 bytes) by the time it is due                :again  zset  the same, of what has ended
--            :ends          hash    reason -> URLs that have ended so
--            :state         hash    host -> state
--            :robots  :reached  hashes  host -> pointer to the newest copy of its robots.txt, and to the newest that was reached
--            :spilled       hash    K -> where its rows are in the object store: length (1 byte) and text; then, if some of them are
--                                   pending, of each row its letter (r: q of one that comes back) and the order of its host
--            :last:OWNER:VERB  string  packed: number and answer of the call that OWNER made last, for an hour
-- ARGV[1] now, ms   ARGV[2] owner   ARGV[3] number of the call   ARGV[4] "1": its answer may have been lost, it is made again
-- ARGV[5] leases a host may have    ARGV[6] its share of them    ARGV[7] a number for chance; "": no cash is kept; or what filters of
-- seen URLs are like: no cash is kept then (filter.lua)
-- Each may answer with an error in place of its result: TRYAGAIN (verb.lua), and GONE where the shard has no record, which Redis has lost.
-- Ids are numbers within the shard here. Times stay below 2^53. Numbers are written by "%d", much quicker than ".."; not so orders, which may hold zeros.
local S, now, concurrency, share, seed, filter, last_answer
local ROWS = 64
-- For numbers of places in lists: Redis writes a number of Lua's as a fraction, which costs more than the command.
local PLACES = {}
for place = 0, ROWS - 1 do
  PLACES[place] = place .. ""
end

-- URLs queued, leased, delayed; hosts with any; hosts that may be leased; when the next lease can be had, when the first lease
-- expires, when the first delay ends, when the first URL is due again (-1 each: never); the last id, chunks of rows that are spilled
-- (standing.ts reads as far as this); the next chunk to be looked at for spilling, the last token; hosts known, URLs queued again;
-- buckets of seen, fingerprints in them; fingerprints in filters (standing.ts reads this, too); tiers in use. Of each of these
-- follow, in order: the tier, hosts in its :due, hosts in its :over.
local RECORD, TIER = "<I4I4I4I4I4ddddI4I4I4dI4I4I4I4I4B", "<i2I4I4"
local r = { tiers = {} }
local NO_RECORD
-- Rows of this call's new URLs, whose ids begin behind `base`. Hosts that the call has to do with, by order; ends by reason.
local fresh, base, touched, ends
-- The chunk whose key was asked for last, and that key.
local keyed, rows_of
-- Whether the time of the next lease is no later than it was: hosts were only put into sets, and none taken out or put off.
local ready_stands
local know_seen, know_hosts

-- Whole milliseconds, which nearly all times are, are written more quickly.
local function time_text(time)
  return format(time % 1 == 0 and "%d" or "%.17g", time)
end

local function load_record(record)
  NO_RECORD = NO_RECORD or pack(RECORD, 0, 0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
  record = record or NO_RECORD
  local count, at
  r.queued, r.leased, r.delayed, r.pending, r.free, r.ready, r.expiry, r.wake, r.due, r.last, r.spilled, r.hand, r.token, r.known, r.returns, r.buckets, r.seen, r.filtered, count, at =
    unpack_from(RECORD, record)
  local tiers = {}
  for i = 1, 3 * count, 3 do
    tiers[i], tiers[i + 1], tiers[i + 2], at = unpack_from(TIER, record, at)
  end
  r.tiers = tiers
end

-- Whole milliseconds are told as a number, others as text: an answer has no fractions.
local function said(time)
  return time % 1 == 0 and time or format("%.17g", time)
end

-- How the shard stands: the first eleven numbers of its record.
local function stands()
  local ready, expiry, wake, due = said(r.ready), said(r.expiry), said(r.wake), said(r.due)
  return { r.queued, r.leased, r.delayed, r.pending, r.free, ready, expiry, wake, due, r.last, r.spilled }
end

-- The same, of a verb that works in a shard. Each has a record from the creation of the crawl on: where there is none, Redis has lost
-- the shard, and only verbs that create it, or look at what is left, take it for empty.
local function shard_verb(name, work, may_be_lost)
  register(name, function()
    S, now, concurrency, share = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[5]), tonumber(ARGV[6])
    filter = find(ARGV[7], "^[fs]") and ARGV[7]
    seed = filter and "" or ARGV[7]
    local record = redis.pcall("MGET", S, S .. ":-")
    if record.err then
      return on_its_way()
    elseif not record[1] and not may_be_lost then
      return redis.error_reply("GONE the shard has no record")
    end
    last_answer = S .. ":last:" .. ARGV[2] .. ":" .. name
    load_record(record[1])
    if ARGV[4] == "1" then
      local before = call("GET", last_answer)
      if before then
        local number, told = cmsgpack.unpack(before)
        if number == ARGV[3] then
          return { told, stands() }
        end
      end
    end
    fresh, base, touched, ends, keyed = {}, r.last, {}, {}, nil
    ready_stands = false
    know_seen()
    know_hosts()
    if seed ~= "" then
      math.randomseed(tonumber(seed))
    end
    return work()
  end)
end

local function rows_key(k)
  if k ~= keyed then
    keyed, rows_of = k, format("%s:u:%d", S, k)
  end
  return rows_of
end

-- A row: a letter (q: waits in its class; o: leased, given back or delayed; e: ended; x: the same, dropped by a lease; d:
-- recorded as dropped and nothing else), the class that it waits in, the class in whose list it stands though it was
-- taken by the short list ("-": none), fingerprint (8 bytes), order of the host (4), length of what follows (1), fields that
-- only some have, and a tail that the client alone reads. Of a drop that was undone "" is left. Nil: it is spilled; o rows never are.
local function read(id)
  if id > base then
    return fresh[id - base]
  end
  local at = (id - 1) % ROWS
  return call("LINDEX", rows_key((id - 1 - at) / ROWS), PLACES[at]) or nil
end

local function write(id, row)
  if id > base then
    fresh[id - base] = row
  else
    local at = (id - 1) % ROWS
    call("LSET", rows_key((id - 1 - at) / ROWS), PLACES[at], row)
  end
end

-- The fields that only some have, "" where it has none: how it ended; where its latest record is; that with which it ended
-- last, of one that comes back; its attempt; its attempt and time when it was put off last; its place among what waits, of
-- one that comes back.
local function fields(row)
  local length = byte(row, 16)
  if length == 0 then
    return "", "", "", "", "", "", ""
  end
  local of = "^([^,]*),?([^,]*),?([^,]*),?([^,]*),?([^,]*),?([^,]*),?([^,]*)$"
  return string.match(sub(row, 17, 16 + length), of)
end

-- The row with this text for its letter, and with these fields, joined.
local function remade(row, letter, text)
  return letter .. sub(row, 2, 15) .. char(#text) .. text .. sub(row, 17 + byte(row, 16))
end

local function joined(...)
  return (string.gsub(table.concat({ ... }, ","), ",+$", ""))
end
