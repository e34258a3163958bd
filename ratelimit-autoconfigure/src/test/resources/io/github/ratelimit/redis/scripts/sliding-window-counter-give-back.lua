-- Gives back what a request was given.
--
-- From sliding-window-counter.lua:
-- Sliding window counter: the current window's count, and the share of the one before that the sliding
-- window still covers.
--
-- KEYS[1]: the state of the policy sliding-window-counter
-- ARGV[1]: window_1, capacity_1, the permits, and for each limit the moment of its decision and its reset time, as little-endian doubles
-- Answer: an empty string
--
-- ScriptAssembler puts it together, and only what stands under "sent" is sent. FinishedScriptTests
-- compares the two, and writes this file anew with -Dratelimit.scripts.write=true.
--
-- By hand, with plain numbers, for sliding-window-counter 10 per 1 h:
-- redis-cli --eval sliding-window-counter-give-back.lua 'test:{sliding-window-counter:key}' , 3600000000 10 1 $MOMENT $RESET
--: by hand
if #ARGV > 1 then
  ARGV[1] = struct.pack('<' .. string.rep('d', #ARGV), unpack(ARGV))
end
--: sent
local strange_1 = false
local call, pack, parse = redis.call, struct.pack, struct.unpack
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local numbers_1, permits_1 = ARGV[1], 1
if #numbers_1 > 16 then
  permits_1 = parse('<d', numbers_1, 16 + 1)
end
local window_1, capacity_1 = parse('<dd', numbers_1)
local expires_1, changed_1 = 0, false
local found_1 = call('GET', KEYS[1])
local made_1, index_1, count_1, previous_1, into_1, agrees_1
do
  local stored, at, written = found_1, now
  into_1 = now % window_1
  do
    local kind, window
    if stored and #stored >= 52 then
      written, expires_1,  kind, made_1, index_1, count_1, previous_1, window = parse('<I7I4Bddddd', stored, 1)
      if written > 9007199254740992 then
        kind, strange_1 = nil, true
      elseif written > now then
        at, changed_1 = written, true
      end
    end
    if kind ~= 67 then
      stored = false
    elseif not (window > 0 and (window ~= window_1 or made_1 >= 0 and made_1 <= at
        and index_1 >= 0 and index_1 * window_1 <= at
        and count_1 >= 0 and previous_1 >= 0 and count_1 + previous_1 <= 9007199254740992)) then
      stored, strange_1 = false, true
    end
    local current = (at - at % window_1) / window_1
    if not stored or window ~= window_1 then
      made_1, index_1, count_1, previous_1 = at, current, 0, 0
    elseif current > index_1 then
      index_1, count_1, previous_1 = current, 0, current == index_1 + 1 and count_1 or 0
    end
    if at > now then
      made_1, index_1 = now, (now - into_1) / window_1
    end
  end
  do
    local share = previous_1 * (window_1 - into_1)
    if share < 9007199254740992 then
      share = (share - share % window_1) / window_1
    else
      share = 0
      local rest = 0
      for shift = 40, 0, -10 do
        local digit = math.floor(previous_1 / 2 ^ shift) % 1024
        local part = rest * 1024 + digit * (window_1 - into_1)
        local whole = math.floor(part / window_1)
        share = share * 1024 + whole
        rest = part - whole * window_1
      end
    end
    agrees_1 = permits_1 == 0 or permits_1 <= capacity_1 - share - count_1
  end
  if not stored then
    expires_1 = 0
    if found_1 and not strange_1 then
      strange_1 = #found_1 < 12
      strange_1 = strange_1 or #found_1 >= 12 and not string.find('CFGLT', string.sub(found_1, 12, 12), 1, true)
      strange_1 = strange_1 or #found_1 < 52 and string.byte(found_1, 12) == 67
    end
  end
end
if not found_1 then
  return ''
end
do
  local taken = parse('<d', numbers_1, 16 + 9)
  local index = math.floor(taken / window_1)
  if taken >= made_1 and taken <= now and index == index_1 then
    count_1 = count_1 - math.min(permits_1, count_1)
  elseif taken >= made_1 and taken <= now and index == index_1 - 1 then
    previous_1 = previous_1 - math.min(permits_1, previous_1)
  end
end
local longest = 0
do
  local lasts = 0
  if count_1 > 0 then
    lasts = (index_1 + 2) * window_1 - math.ceil(window_1 / count_1) + 1 - now
  elseif previous_1 > 0 then
    lasts = (index_1 + 1) * window_1 - math.ceil(window_1 / previous_1) + 1 - now
  end
  if lasts > longest then
    longest = lasts
  end
end
if longest > 0 then
  local ends = now + longest
  local expires = (ends - ends % 900000) / 900000 + 1
  if expires == expires_1 then
    call('SET', KEYS[1], pack('<I7I4Bddddd', now, expires, 67, made_1, index_1, count_1, previous_1, window_1), 'KEEPTTL')
  else
    local milliseconds = (expires * 900000 - now) / 1000
    milliseconds = milliseconds - milliseconds % 1 + 2
    call('SET', KEYS[1], pack('<I7I4Bddddd', now, expires, 67, made_1, index_1, count_1, previous_1, window_1), 'PX', milliseconds)
  end
else
  call('DEL', unpack(KEYS))
end
return ''
