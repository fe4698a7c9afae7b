-- What the verbs of an address share.
-- KEYS[1]  trawl:{CRAWL:at:ADDRESS}: the clock of an address, packed; it is gone soon after it has run out:
--          ready  when the next turn may begin
--          open   token -> until when it is held
--          line   crawlers that wait, in order: who, and until when a place is kept for them
-- ARGV[1]  now, ms   ARGV[2]  crawler   ARGV[3]  its life: a higher number after a restart   ARGV[4]  number of the turn in it
-- Times stay strings in answers: tostring() would cut them to 14 digits.
local now, crawler, life, token

-- Kept so much longer than its times say, in ms.
local SPARE = 60000

local function load()
  now, crawler = tonumber(ARGV[1]), ARGV[2]
  life = tonumber(ARGV[3])
  token = crawler .. "\t" .. ARGV[3] .. "\t" .. ARGV[4]
  local packed = call("GET", KEYS[1])
  if packed then
    return cmsgpack.unpack(packed)
  end
  return { ready = 0, open = {}, line = {} }
end

local function save(address)
  local last = address.ready
  for _, till in pairs(address.open) do
    last = math.max(last, till)
  end
  for _, waiting in ipairs(address.line) do
    last = math.max(last, waiting[2])
  end
  call("SET", KEYS[1], cmsgpack.pack(address), "PX", format("%.0f", math.max(last - now, 0) + SPARE))
end

local function said(time)
  return format("%.17g", time)
end
