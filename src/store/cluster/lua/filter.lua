-- Fingerprints in Bloom filters (--seen bloom, scalable-bloom), which grow in layers. All bits of a fingerprint are in one block of a layer, so
-- that one read and one write do for it (src/dedup/blocked-bloom.ts).
--   :filter:LAYER:PART  string  PART blocks of BLOCK bytes, made whole at once: grown piece by piece it would be given twice the memory
-- ARGV[7]  "f", or "s": all that comes is new (a crawl that is moved in), unless the call is made again; then of each layer: fingerprints that it is for (I4), its
--          blocks (I4), bits that a fingerprint sets (B)
local know_layers, is_in_filters, put_into_filters
do
  local BLOCK, PART, SPAN, NINE_BITS = 64, 1023, 2 ^ 32, 2 ^ 23
  local EMPTY
  -- Of each bit of a block: which byte it is in, and its value there.
  local OCTETS, VALUES = {}, {}
  for bit = 0, 8 * BLOCK - 1 do
    OCTETS[bit] = (bit - bit % 8) / 8 + 1
    VALUES[bit] = 2 ^ (bit % 8)
  end
  -- Of the blocks of a part: their numbers, where they begin and where they end, as Redis is told.
  local NUMBERS, STARTS, ENDS = {}, {}, {}
  for nth = 0, PART - 1 do
    NUMBERS[nth], STARTS[nth], ENDS[nth] = nth .. "", nth * BLOCK .. "", nth * BLOCK + BLOCK - 1 .. ""
  end
  local blocks, bits = {}, {}
  -- The layer that is filled, fingerprints that all layers up to it are for, and where the next one is told.
  local newest, most, at

  local function open_layers()
    while r.filtered >= most and at <= #filter do
      local room
      newest = newest + 1
      room, blocks[newest], bits[newest], at = unpack_from("<I4I4B", filter, at)
      most = most + room
    end
  end

  know_layers = function()
    newest, most, at = -1, 0, 2
    open_layers()
  end

  -- A fingerprint's place in a layer: the key, which block of that part, and the block, "" while nothing has been put into the part; and
  -- the number of the block in the layer.
  local function place(layer, lo, hi)
    local nth = math.floor((hi + (lo - lo % 4096) / SPAN) / SPAN * blocks[layer])
    local from = nth % PART
    local part = (nth - from) / PART
    local key = S .. ":filter:" .. NUMBERS[layer] .. ":" .. (NUMBERS[part] or format("%d", part))
    return key, from, call("GETRANGE", key, STARTS[from], ENDS[from]), nth
  end

  -- Bits follow each other as the numbers of a generator (linear, modulo 2^32) that both words have begun.
  local function has(block, layer, lo, hi)
    if block == "" then
      return false
    end
    local x, step = lo, (2 * hi + 1) % SPAN
    for _ = 1, bits[layer] do
      x = (x * 1664525 + step) % SPAN
      local bit = (x - x % NINE_BITS) / NINE_BITS
      local value = VALUES[bit]
      if byte(block, OCTETS[bit]) % (value + value) < value then
        return false
      end
    end
    return true
  end

  local function in_older(lo, hi)
    for layer = newest - 1, 0, -1 do
      local _, _, block = place(layer, lo, hi)
      if has(block, layer, lo, hi) then
        return true
      end
    end
    return false
  end

  is_in_filters = function(fingerprint, lo)
    local hi = unpack_from("<I4", fingerprint, 5)
    local _, _, block = place(newest, lo, hi)
    return has(block, newest, lo, hi) or in_older(lo, hi)
  end

  -- False: it is there already, or seems to be.
  put_into_filters = function(fingerprint, lo)
    local hi = unpack_from("<I4", fingerprint, 5)
    local key, from, block, nth = place(newest, lo, hi)
    local asks = byte(filter, 1) == 102 or ARGV[4] == "1"
    if asks and (has(block, newest, lo, hi) or in_older(lo, hi)) then
      return false
    end
    if block == "" then
      local size = math.min(PART, blocks[newest] - nth + from) * BLOCK
      call("SETRANGE", key, format("%d", size - 1), "\0")
      EMPTY = EMPTY or string.rep("\0", BLOCK)
      block = EMPTY
    end
    local octets = { byte(block, 1, BLOCK) }
    local x, step = lo, (2 * hi + 1) % SPAN
    for _ = 1, bits[newest] do
      x = (x * 1664525 + step) % SPAN
      local bit = (x - x % NINE_BITS) / NINE_BITS
      local i, value = OCTETS[bit], VALUES[bit]
      local octet = octets[i]
      if octet % (value + value) < value then
        octets[i] = octet + value
      end
    end
    call("SETRANGE", key, STARTS[from], char(unpack(octets)))
    r.filtered = r.filtered + 1
    open_layers()
    return true
  end
end
