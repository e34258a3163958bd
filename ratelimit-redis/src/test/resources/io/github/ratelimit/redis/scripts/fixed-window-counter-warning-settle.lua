-- Takes what was used beyond what was given.
local unreadable_1 = false
local decides, allowed = false, true
local call, pack, parse = redis.call, struct.pack, struct.unpack
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local permits_1 = #ARGV[1] > 16 and parse('<d', ARGV[1], 16 + 1) or 1
local window_1, capacity_1 = parse('<dd', ARGV[1])
local expires_1, changed_1 = 0, false
local found_1, carried_1 = call('GET', KEYS[1]), false
local made_1, index_1, count_1, agrees_1
do
  local stored, at, written = found_1, now
  do
    local kind, window
    if stored and #stored >= 44 then
      written, expires_1,  kind, made_1, index_1, count_1, window = parse('<I7I4Bdddd', stored, 1)
      if written > 9007199254740992 then
        kind, unreadable_1 = nil, true
      elseif written > now then
        at, changed_1 = written, true
      end
    end
    if kind ~= 70 then
      local letter = kind and string.char(kind) or '0'
      local size = (letter == 'C' and 41) or (letter == 'F' and 33) or (letter == 'G' and 49) or (letter == 'L' and 33) or (letter == 'T' and 33)
      if not decides and stored and not unreadable_1 and string.find(stored, '^[CFGLT]', 12)
          and string.byte(stored, 12) ~= 70 then
        return ''
      end
      carried_1 = carried_1 or (decides and stored)
      if size then
        stored = string.sub(stored, 1, 12 - 1) .. letter .. string.rep('\0', 33 - 1)
        .. string.sub(stored, 12 + size)
        found_1, expires_1 = stored, 0
      else
        stored = false
      end
      kind = nil
    elseif not (window > 0 and made_1 >= 0 and made_1 <= at
        and index_1 >= 0 and index_1 * window <= at
        and count_1 >= 0 and count_1 <= 9007199254740992) then
      kind, stored, unreadable_1 = nil, false, true
    elseif window ~= window_1 then
      if decides then
        count_1 = index_1 == (at - at % window) / window and math.min(2 * capacity_1, count_1) or 0
        made_1, index_1, carried_1 = at, (at - at % window_1) / window_1, carried_1 or count_1 > 0
      else
        window_1 = window
      end
    end
    local current = (at - at % window_1) / window_1
    if not kind then
      made_1, index_1, count_1 = at, current, 0
    elseif current > index_1 then
      index_1, count_1 = current, 0
    end
    if at > now then
      made_1, index_1 = now, (now - now % window_1) / window_1
    end
  end
  if not stored then
    expires_1 = 0
    if found_1 and not unreadable_1 then
      unreadable_1 = #found_1 < 12
      unreadable_1 = unreadable_1 or (#found_1 >= 12 and not string.find(found_1, '^[CFGLT]', 12))
      unreadable_1 = unreadable_1 or (#found_1 < 44 and string.byte(found_1, 12) == 70)
    end
  elseif #stored > 44 then
    carried_1 = true
  end
end
if found_1 and not unreadable_1 and #found_1 > 44 then
  return ''
end
agrees_1 = true
local told
do
  told = pack('<dBdd', now, ((agrees_1 and ((allowed and 3) or 1)) or 0) + ((unreadable_1 and 4) or 0), index_1, count_1)
end
count_1 = math.max(count_1, math.min(count_1 + permits_1, 2 * capacity_1))
local longest = 0
if count_1 > 0 and (index_1 + 1) * window_1 - now > longest then
  longest = (index_1 + 1) * window_1 - now
end
local ends = now + longest
local expires = (ends - ends % 900000) / 900000 + 1
if expires == expires_1 and #found_1 == 44 then
  call('SETRANGE', KEYS[1], '0', pack('<I7I4Bdddd', now, expires, 70, made_1, index_1, count_1, window_1))
else
  local milliseconds = string.format('%d', (expires * 900000 - now) / 1000 + 2)
  call('SET', KEYS[1], pack('<I7I4Bdddd', now, expires, 70, made_1, index_1, count_1, window_1), 'PX', milliseconds)
end
return told .. pack('<dBdd', now, ((agrees_1 and ((allowed and 3) or 1)) or 0) + ((unreadable_1 and 4) or 0), index_1, count_1)
