-- What stands before all else in the library: a verb becomes a function of it (FCALL). Functions are made once, when the library is loaded,
-- and what they share lives on from call to call: whoever uses any of it sets it first. While a library is loaded nothing of Lua's or of
-- Redis' is at hand but this registering.
local KEYS, ARGV, call, pack, unpack_from, format, sub, byte, char

-- While a slot moves from one master to another, some of its keys are with one of them and some with the other. A function that meets a key
-- that is elsewhere is broken off there, and what it has done until then stands; or, sent after the first key, takes it for empty. Redis
-- answers a question about two keys that are nowhere only when all keys of the slot are here.
local function is_whole(key)
  return type(redis.pcall("EXISTS", key .. ":-", key .. ":--")) ~= "table"
end

local function verb(name, work)
  redis.register_function(LIBRARY .. "_" .. name, function(keys, args)
    KEYS, ARGV, call, pack, unpack_from = keys, args, redis.call, struct.pack, struct.unpack
    format, sub, byte, char = string.format, string.sub, string.byte, string.char
    if not is_whole(keys[1]) then
      return redis.error_reply("TRYAGAIN the slot is on its way to another master")
    end
    return work()
  end)
end
