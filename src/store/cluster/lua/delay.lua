-- What waits for a time of its own.
local function put_off(one, id, at)
  call("ZADD", S .. ":delayed", at, pack(">I4", id))
  at = tonumber(at)
  one.delayed = one.delayed + 1
  r.delayed = r.delayed + 1
  if r.wake < 0 or at < r.wake then
    r.wake = at
  end
end
