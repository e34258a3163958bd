-- Refunds what a request was given.
local unreadable_1 = false
local decides = false
local call, pack, parse = redis.call, struct.pack, struct.unpack
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local permits_1 = #ARGV[1] > 40 and parse('<d', ARGV[1], 40 + 1) or 1
local scale_1, cost_1, full_1, window_2, capacity_2 = parse('<ddddd', ARGV[1])
local expires_1, changed_1 = 0, false
local found_1, carried_1 = call('GET', KEYS[1]), false
local base_1, word_1, units_1, level_1, agrees_1
local room_2, head_2, count_2, oldest_2, newest_2, retry_2, agrees_2
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
      word_1 = math.min(full_1, permits * cost_1 + math.ceil((left - permits * cost) * cost_1 / cost))
      carried_1 = carried_1 or left > 0
    else
      base_1, word_1, full_1 = base, word, full_1 / cost_1 * cost
      scale_1, cost_1 = scale, cost
    end
  end
  units_1 = (at - base_1) * scale_1
  level_1 = word_1 > units_1 and word_1 - units_1 or 0
  if decides and level_1 > full_1 then
    base_1, word_1, units_1, level_1, carried_1 = at, full_1, 0, full_1, true
  end
  if at > now then
    base_1, word_1, units_1 = now, level_1, 0
  end
  do
    local kind, window
    local covered = window_2
    if stored and #stored >= 93 then
      kind, room_2, head_2, count_2, oldest_2, newest_2, window = parse('<Bdddddd', stored, 45)
    end
    local sound = kind == 71
    if not sound then
      local letter = kind and string.char(kind) or '0'
      local size = (letter == 'C' and 41) or (letter == 'F' and 33) or (letter == 'G' and 49) or (letter == 'L' and 33) or (letter == 'T' and 33)
      if not decides and stored and not unreadable_1 and string.find(stored, '^[CFGLT]', 45)
          and string.byte(stored, 45) ~= 71 then
        return ''
      end
      carried_1 = carried_1 or (decides and stored)
      if size then
        stored = string.sub(stored, 1, 45 - 1) .. letter .. string.rep('\0', 49 - 1)
        .. string.sub(stored, 45 + size)
        found_1, expires_1 = stored, 0
      else
        stored = false
      end
    elseif not (room_2 >= 0 and room_2 <= 4294967296 and room_2 % 1 == 0
        and head_2 >= 0 and head_2 <= room_2 and head_2 % 1 == 0
        and count_2 >= 0 and count_2 <= room_2 and count_2 % 1 == 0
        and oldest_2 >= 0 and oldest_2 <= newest_2 and newest_2 - at <= 3600000000 and window > 0) then
      sound, stored, unreadable_1 = false, false, true
    elseif window ~= window_2 then
      if decides then
        covered = math.min(window, window_2)
        carried_1 = carried_1 or newest_2 > at - window
      else
        window_2, covered = window, window
      end
    end
    if not sound then
      room_2, head_2, count_2, oldest_2, newest_2 = 0, 0, 0, 0, 0
    end
    local expired = at - covered
    if newest_2 <= expired then
      count_2, oldest_2, newest_2 = 0, 0, 0
    elseif oldest_2 <= expired then
      local function stamp_at(position)
        local at = (head_2 + position) % room_2 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_2 and stamp or 0
      end
      local low, high, step = 0, count_2 - 1, 1
      oldest_2 = newest_2
      while high - low > 1 do
        local middle = low + step
        if middle >= high then
          middle = math.floor((low + high) / 2)
        end
        local stamp = stamp_at(middle)
        if stamp > expired then
          high, step, oldest_2 = middle, count_2, stamp
        else
          low, step = middle, step * 2
        end
      end
      head_2, count_2 = (head_2 + high) % room_2, count_2 - high
    end
    if decides and count_2 > capacity_2 then
      head_2, count_2, carried_1 = (head_2 + count_2 - capacity_2) % room_2, capacity_2, true
      local function stamp_at(position)
        local at = (head_2 + position) % room_2 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_2 and stamp or 0
      end
      oldest_2 = math.max(oldest_2, stamp_at(0))
    end
    if at > now and newest_2 > now then
      local function stamp_at(position)
        local at = (head_2 + position) % room_2 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_2 and stamp or 0
      end
      local low, high = 0, count_2 - 1
      while low < high do
        local middle = math.floor((low + high) / 2)
        if stamp_at(middle) > now then
          high = middle
        else
          low = middle + 1
        end
      end
      local first, last = (head_2 + low) % room_2, (head_2 + count_2 - 1) % room_2
      local stamps = string.rep(pack('<d', now), count_2 - low)
      if first > last then
        call('SETRANGE', KEYS[2], 0, string.sub(stamps, (room_2 - first) * 8 + 1))
        stamps = string.sub(stamps, 1, (room_2 - first) * 8)
      end
      call('SETRANGE', KEYS[2], first * 8, stamps)
      oldest_2, newest_2, expires_1 = math.min(oldest_2, now), now, 0
    end
  end
  if not stored then
    expires_1 = 0
    if found_1 and not unreadable_1 then
      unreadable_1 = #found_1 < 12
      unreadable_1 = unreadable_1 or (#found_1 >= 12 and not string.find(found_1, '^[CFGLT]', 12))
      unreadable_1 = unreadable_1 or (#found_1 >= 45 and not string.find(found_1, '^[CFGLT]', 45))
      unreadable_1 = unreadable_1 or (#found_1 < 44 and string.byte(found_1, 12) == 84)
      unreadable_1 = unreadable_1 or (#found_1 < 93 and string.byte(found_1, 45) == 71)
    end
  elseif #stored > 93 then
    carried_1 = true
  end
end
if found_1 and not unreadable_1 and #found_1 > 93 then
  return ''
end
if not found_1 then
  return ''
end
do
  local taken, reset = parse('<dd', ARGV[1], 40 + 9)
  local drained = math.ceil(word_1 / scale_1)
  local returns = taken >= base_1 and taken <= now
  if returns then
    local ticks = taken - base_1 + reset
    local own = word_1
    if ticks ~= drained then
      local alone = (taken - base_1) * scale_1 + permits_1 * cost_1
      own = math.max(alone, (ticks - 1) * scale_1)
    end
    local left = math.min(word_1, own) - units_1
    word_1 = word_1 - math.max(0, math.min(left, permits_1 * cost_1))
    level_1 = math.max(0, word_1 - units_1)
  end
end
do
  local function stamp_at(position)
    local at = (head_2 + position) % room_2 * 8
    local stamp = call('GETRANGE', KEYS[2], at, at + 7)
    stamp = #stamp == 8 and parse('<d', stamp) or 0
    return stamp >= 0 and stamp <= newest_2 and stamp or 0
  end
  local function first_from(moment)
    local low, high = 0, count_2
    while low < high do
      local middle = math.floor((low + high) / 2)
      if stamp_at(middle) >= moment then
        high = middle
      else
        low = middle + 1
      end
    end
    return low
  end
  local taken = parse('<d', ARGV[1], 40 + 25)
  local first = first_from(taken)
  local last = math.min(first + permits_1, first_from(taken + 1))
  if last > first then
    if last < count_2 then
      local function stamps_from(position)
        local length = count_2 - position
        if length == 0 then
          return ''
        end
        local at = (head_2 + position) % room_2
        local stamps = call('GETRANGE', KEYS[2], at * 8, math.min(at + length, room_2) * 8 - 1)
        if at + length > room_2 then
          stamps = stamps .. call('GETRANGE', KEYS[2], 0, (at + length - room_2) * 8 - 1)
        end
        return string.rep('\0', length * 8 - #stamps) .. stamps
      end
      local all = stamps_from(0)
      call('SETRANGE', KEYS[2], 0, string.sub(all, 1, first * 8) .. string.sub(all, last * 8 + 1))
      head_2, expires_1 = 0, 0
    end
    count_2 = count_2 - (last - first)
    if count_2 > 0 then
      oldest_2, newest_2 = stamp_at(0), stamp_at(count_2 - 1)
      if oldest_2 > newest_2 then
        oldest_2 = newest_2
      end
    else
      oldest_2, newest_2 = 0, 0
    end
  end
end
local longest = 0
if level_1 > longest * scale_1 then
  longest = level_1 / scale_1
end
if count_2 > 0 and newest_2 + window_2 - now > longest then
  longest = newest_2 + window_2 - now
end
if longest > 0 then
  local ends = now + longest
  local expires = (ends - ends % 900000) / 900000 + 1
  if expires == expires_1 and #found_1 == 93 then
    call('SETRANGE', KEYS[1], '0', pack('<I7I4BddddBdddddd', now, expires, 84, base_1, word_1, scale_1, cost_1, 71, room_2, head_2, count_2, oldest_2, newest_2, window_2))
  else
    local milliseconds = string.format('%d', (expires * 900000 - now) / 1000 + 2)
    call('SET', KEYS[1], pack('<I7I4BddddBdddddd', now, expires, 84, base_1, word_1, scale_1, cost_1, 71, room_2, head_2, count_2, oldest_2, newest_2, window_2), 'PX', milliseconds)
    call('PEXPIRE', KEYS[2], milliseconds)
  end
else
  call('DEL', unpack(KEYS))
end
return ''
