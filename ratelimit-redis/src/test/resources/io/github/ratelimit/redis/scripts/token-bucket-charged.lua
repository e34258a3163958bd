-- Decides on a request.
local unreadable_1 = false
local decides = true
local call, pack, parse = redis.call, struct.pack, struct.unpack
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local permits_1 = #ARGV[1] > 24 and parse('<d', ARGV[1], 24 + 1) or 1
local scale_1, cost_1, full_1 = parse('<ddd', ARGV[1])
local expires_1, changed_1 = 0, false
local found_1, carried_1 = call('GET', KEYS[1]), false
local base_1, word_1, units_1, level_1, agrees_1
do
  local stored, at, written = found_1, now
  base_1, word_1 = at, 0
  do
    local kind, base, word, scale, cost
    if stored and #stored >= 44 then
      written, expires_1,  kind, base, word, scale, cost = parse('<I7I4Bdddd', stored, 1)
      if written > 9007199254740992 then
        kind, unreadable_1 = nil, true
      elseif written > now then
        at, changed_1 = written, true
      end
    end
    if kind ~= 84 then
      local letter = kind and string.char(kind) or '0'
      local size = (letter == 'C' and 41) or (letter == 'F' and 33) or (letter == 'G' and 49) or (letter == 'L' and 33) or (letter == 'T' and 33)
      if not decides and stored and not unreadable_1 and string.find(stored, '^[CFGLT]', 12)
          and string.byte(stored, 12) ~= 84 then
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
    elseif not (base >= 0 and base <= at and word >= 0 and word <= 9007199254740992) then
      stored, unreadable_1 = false, true
    elseif scale == scale_1 and cost == cost_1 then
      base_1, word_1 = base, word
    elseif not (scale > 0 and scale <= 9007199254740992 and cost > 0 and cost <= 9007199254740992) then
      stored, unreadable_1 = false, true
    elseif decides then
      local left = math.max(0, word - (at - base) * scale)
      local permits = math.floor(left / cost)
      word_1 = math.min(2 * full_1, permits * cost_1 + math.ceil((left - permits * cost) * cost_1 / cost))
      carried_1 = carried_1 or left > 0
    else
      base_1, word_1, full_1 = base, word, full_1 / cost_1 * cost
      scale_1, cost_1 = scale, cost
    end
  end
  units_1 = (at - base_1) * scale_1
  level_1 = word_1 > units_1 and word_1 - units_1 or 0
  if decides and level_1 > 2 * full_1 then
    base_1, word_1, units_1, level_1, carried_1 = at, 2 * full_1, 0, 2 * full_1, true
  end
  if at > now then
    base_1, word_1, units_1 = now, level_1, 0
  end
  if not stored then
    expires_1 = 0
    if found_1 and not unreadable_1 then
      unreadable_1 = #found_1 < 12
      unreadable_1 = unreadable_1 or (#found_1 >= 12 and not string.find(found_1, '^[CFGLT]', 12))
      unreadable_1 = unreadable_1 or (#found_1 < 44 and string.byte(found_1, 12) == 84)
    end
  elseif #stored > 44 then
    carried_1 = true
  end
end
agrees_1 = permits_1 == 0 or level_1 + permits_1 * cost_1 <= full_1
local allowed = true
allowed = allowed and agrees_1
local rejected = false
if allowed then
  if permits_1 > 0 then
    changed_1 = true
    if units_1 > 4503599627370496 then
      base_1, units_1 = now, 0
    end
    level_1 = level_1 + permits_1 * cost_1
    word_1 = units_1 + level_1
  end
elseif not rejected then
  carried_1 = carried_1 and permits_1 * cost_1 <= full_1
  if carried_1 and permits_1 > 0 then
    changed_1 = true
  end
  rejected = rejected or not agrees_1
end
if changed_1 then
  local longest = 0
  if level_1 > longest * scale_1 then
    longest = level_1 / scale_1
  end
  local ends = now + longest
  local expires = (ends - ends % 900000) / 900000 + 1
  if expires == expires_1 and #found_1 == 44 then
    call('SETRANGE', KEYS[1], '0', pack('<I7I4Bdddd', now, expires, 84, base_1, word_1, scale_1, cost_1))
  else
    local milliseconds = string.format('%d', (expires * 900000 - now) / 1000 + 2)
    call('SET', KEYS[1], pack('<I7I4Bdddd', now, expires, 84, base_1, word_1, scale_1, cost_1), 'PX', milliseconds)
  end
end
return pack('<dBdd', now, ((agrees_1 and ((allowed and 3) or 1)) or 0) + ((unreadable_1 and 4) or 0), base_1, word_1)
