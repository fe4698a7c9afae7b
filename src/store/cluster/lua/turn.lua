-- Asks for a turn on an address.
-- KEYS[1]  the clock of the address   ARGV[1] to ARGV[4]   as both verbs of an address have them (address.lua)
-- ARGV[5]  turns that may be open at once   ARGV[6]  a turn is held so long at most, ms
-- ARGV[7]  shortest time from the end of one to the beginning of the next, ms
-- ARGV[8...]  crawler, the latest of its lives; and so on: those who have begun anew
-- Result: "1" and until when it is held; or "0" and when to ask again
verb("turn", function()
  local at_once, hold, delay = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
  -- Between those who wait.
  local step = math.max(delay, 10) / at_once

  local address = load()
  if address.open[token] then -- the answer was lost
    return { "1", said(address.open[token]) }
  end

  local lives = { [crawler] = life }
  for i = 8, #ARGV, 2 do
    lives[ARGV[i]] = tonumber(ARGV[i + 1])
  end
  local open, held = {}, 0
  for holder, till in pairs(address.open) do
    local who, its_life = string.match(holder, "^(.*)\t(%d+)\t")
    if tonumber(its_life) < (lives[who] or 0) then
      -- The crawler died with it, and has begun anew: what it asked for ends now.
      address.ready = math.max(address.ready, now + delay)
    elseif till > now then
      open[holder] = till
      held = held + 1
    end
  end
  address.open = open

  -- Who does not ask in his time has left the line.
  local line, place = {}, nil
  for _, waiting in ipairs(address.line) do
    if waiting[1] == crawler or waiting[2] > now then
      line[#line + 1] = waiting
      place = waiting[1] == crawler and #line or place
    end
  end
  address.line = line

  local free = at_once - held
  if address.ready <= now and (place or #line + 1) <= free then
    if place then
      table.remove(line, place)
    end
    open[token] = now + hold
    save(address)
    return { "1", said(open[token]) }
  end

  if not place then
    place = #line + 1
    line[place] = { crawler, 0 }
  end
  -- While all are held, the next turn can begin a delay after the first of them is given back, and that is not yet.
  local first = math.max(address.ready, free > 0 and now or now + math.max(delay, 10))
  local at = first + (place - 1) * step
  line[place][2] = at + math.max(step, 1000)
  save(address)
  return { "0", said(at) }
end)
