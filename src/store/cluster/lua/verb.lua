-- What stands before all else in the library: a verb becomes a function of it (FCALL). Functions are made once, when the library is loaded,
-- and what they share lives on from call to call: whoever uses any of it sets it first. While a library is loaded nothing of Lua's or of
-- Redis' is at hand but this registering.
local KEYS, ARGV, call, pack, unpack_from, format, sub, byte, char, find

local function register(name, work)
  redis.register_function(LIBRARY .. "_" .. name, function(keys, args)
    if not call then
      call, pack, unpack_from = redis.call, struct.pack, struct.unpack
      format, sub, byte, char, find = string.format, string.sub, string.byte, string.char, string.find
    end
    KEYS, ARGV = keys, args
    return work()
  end)
end

-- While a slot moves from one master to another, some of its keys are with one of them and some with the other. A function that meets a key
-- that is elsewhere is broken off there, and what it has done until then stands; or, sent after the first key, takes it for empty. Redis
-- answers a question about two keys of which one is nowhere only when all keys of the slot are here: each verb asks one before all else.
local function on_its_way()
  return redis.error_reply("TRYAGAIN the slot is on its way to another master")
end

local function verb(name, work)
  register(name, function()
    local whole = redis.pcall("EXISTS", KEYS[1] .. ":-", KEYS[1] .. ":--")
    if type(whole) == "table" then
      return on_its_way()
    end
    return work()
  end)
end
