-- Decides on several requests.
local unreadable_1 = false
local decides, allowed = true, false
local call, pack, parse = redis.call, struct.pack, struct.unpack
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local window_1, capacity_1 = parse('<dd', ARGV[1])
local expires_1, changed_1 = 0, false
local found_1, carried_1 = call('GET', KEYS[1]), false
local room_1, head_1, count_1, oldest_1, newest_1, retry_1, agrees_1
do
  local stored, at, written = found_1, now
  do
    local kind, window
    local covered = window_1
    if stored and #stored >= 60 then
      written, expires_1,  kind, room_1, head_1, count_1, oldest_1, newest_1, window = parse('<I7I4Bdddddd', stored, 1)
      if written > 9007199254740992 then
        kind, unreadable_1 = nil, true
      elseif written > now then
        at, changed_1 = written, true
      end
    end
    local sound = kind == 71
    if not sound then
      local letter = kind and string.char(kind) or '0'
      local size = (letter == 'C' and 41) or (letter == 'F' and 33) or (letter == 'G' and 49) or (letter == 'L' and 33) or (letter == 'T' and 33)
      if not decides and stored and not unreadable_1 and string.find(stored, '^[CFGLT]', 12)
          and string.byte(stored, 12) ~= 71 then
        return ''
      end
      carried_1 = carried_1 or (decides and stored)
      if size then
        stored = string.sub(stored, 1, 12 - 1) .. letter .. string.rep('\0', 49 - 1)
        .. string.sub(stored, 12 + size)
        found_1, expires_1 = stored, 0
      else
        stored = false
      end
    elseif not (room_1 >= 0 and room_1 <= 4294967296 and room_1 % 1 == 0
        and head_1 >= 0 and head_1 <= room_1 and head_1 % 1 == 0
        and count_1 >= 0 and count_1 <= room_1 and count_1 % 1 == 0
        and oldest_1 >= 0 and oldest_1 <= newest_1 and newest_1 - at <= 3600000000 and window > 0) then
      sound, stored, unreadable_1 = false, false, true
    elseif window ~= window_1 then
      if decides then
        covered = math.min(window, window_1)
        carried_1 = carried_1 or newest_1 > at - window
      else
        window_1, covered = window, window
      end
    end
    if not sound then
      room_1, head_1, count_1, oldest_1, newest_1 = 0, 0, 0, 0, 0
    end
    local expired = at - covered
    if newest_1 <= expired then
      count_1, oldest_1, newest_1 = 0, 0, 0
    elseif oldest_1 <= expired then
      local function stamp_at(position)
        local at = (head_1 + position) % room_1 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_1 and stamp or 0
      end
      local low, high, step = 0, count_1 - 1, 1
      oldest_1 = newest_1
      while high - low > 1 do
        local middle = low + step
        if middle >= high then
          middle = math.floor((low + high) / 2)
        end
        local stamp = stamp_at(middle)
        if stamp > expired then
          high, step, oldest_1 = middle, count_1, stamp
        else
          low, step = middle, step * 2
        end
      end
      head_1, count_1 = (head_1 + high) % room_1, count_1 - high
    end
    if decides and count_1 > 2 * capacity_1 then
      head_1, count_1, carried_1 = (head_1 + count_1 - 2 * capacity_1) % room_1, 2 * capacity_1, true
      local function stamp_at(position)
        local at = (head_1 + position) % room_1 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_1 and stamp or 0
      end
      oldest_1 = math.max(oldest_1, stamp_at(0))
    end
    if at > now and newest_1 > now then
      local function stamp_at(position)
        local at = (head_1 + position) % room_1 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_1 and stamp or 0
      end
      local low, high = 0, count_1 - 1
      while low < high do
        local middle = math.floor((low + high) / 2)
        if stamp_at(middle) > now then
          high = middle
        else
          low = middle + 1
        end
      end
      local first, last = (head_1 + low) % room_1, (head_1 + count_1 - 1) % room_1
      local stamps = string.rep(pack('<d', now), count_1 - low)
      if first > last then
        call('SETRANGE', KEYS[2], 0, string.sub(stamps, (room_1 - first) * 8 + 1))
        stamps = string.sub(stamps, 1, (room_1 - first) * 8)
      end
      call('SETRANGE', KEYS[2], first * 8, stamps)
      oldest_1, newest_1, expires_1 = math.min(oldest_1, now), now, 0
    end
  end
  if not stored then
    expires_1 = 0
    if found_1 and not unreadable_1 then
      unreadable_1 = #found_1 < 12
      unreadable_1 = unreadable_1 or (#found_1 >= 12 and not string.find(found_1, '^[CFGLT]', 12))
      unreadable_1 = unreadable_1 or (#found_1 < 60 and string.byte(found_1, 12) == 71)
    end
  elseif #stored > 60 then
    carried_1 = true
  end
end
local told, at = { pack('<d', now) }, 16 + 1
while at <= #ARGV[1] do
  local permits_1, asked = parse('<dd', ARGV[1], at)
  local passed, counted = 0, 0
  if permits_1 > 0 then
    passed = asked
    passed = math.min(passed, (capacity_1 - count_1) / permits_1)
    passed = math.max(0, math.floor(passed))
    if passed > 0 then
      changed_1 = true
      local permits_1 = passed * permits_1
      do
        local needed = count_1 + permits_1
        if needed > 2 * capacity_1 then
          needed = 2 * capacity_1
        end
        local kept = needed - permits_1
        local dropped = count_1 - kept
        if newest_1 < now then
          newest_1 = now
        end
        local added = pack('<d', newest_1)
        if permits_1 > 1 then
          added = string.rep(added, permits_1)
        end
        if needed <= room_1 and room_1 <= 2 * capacity_1 then
          head_1 = (head_1 + dropped) % room_1
          local at = (head_1 + kept) % room_1
          local fitting = (room_1 - at) * 8
          if #added > fitting then
            call('SETRANGE', KEYS[2], 0, string.sub(added, fitting + 1))
            added = string.sub(added, 1, fitting)
          end
          local length = call('SETRANGE', KEYS[2], at * 8, added)
          if (length ~= room_1 * 8 or #added == fitting) and call('PTTL', KEYS[2]) < 0 then
            expires_1 = 0
          end
        elseif head_1 + count_1 == room_1 and room_1 + permits_1 <= 2 * capacity_1
            and call('APPEND', KEYS[2], added) == (room_1 + permits_1) * 8 then
          head_1, room_1 = head_1 + dropped, room_1 + permits_1
        else
          local function stamps_from(position)
            local length = count_1 - position
            if length == 0 then
              return ''
            end
            local at = (head_1 + position) % room_1
            local stamps = call('GETRANGE', KEYS[2], at * 8, math.min(at + length, room_1) * 8 - 1)
            if at + length > room_1 then
              stamps = stamps .. call('GETRANGE', KEYS[2], 0, (at + length - room_1) * 8 - 1)
            end
            return string.rep('\0', length * 8 - #stamps) .. stamps
          end
          local stamps = stamps_from(dropped) .. added
          head_1, room_1 = 0, math.min(2 * capacity_1, 2 * needed)
          call('SET', KEYS[2], stamps .. string.rep('\0', room_1 * 8 - #stamps))
          expires_1 = 0
        end
        if kept == 0 then
          oldest_1 = newest_1
        elseif dropped > 0 then
          local function stamp_at(position)
            local at = (head_1 + position) % room_1 * 8
            local stamp = call('GETRANGE', KEYS[2], at, at + 7)
            stamp = #stamp == 8 and parse('<d', stamp) or 0
            return stamp >= 0 and stamp <= newest_1 and stamp or 0
          end
          oldest_1 = math.max(stamp_at(0), now - window_1 + 1)
        end
        count_1 = needed
      end
    end
  end
  agrees_1 = permits_1 == 0 or permits_1 <= capacity_1 - count_1
  if permits_1 > 0 and passed < asked then
    local carried_1, rejected = carried_1, true
    carried_1 = carried_1 and permits_1 <= capacity_1
    if carried_1 and permits_1 > 0 then
      changed_1 = true
    end
    rejected = rejected or not agrees_1
  end
  do
    local oldest_1 = oldest_1
    retry_1 = oldest_1
    if not agrees_1 and permits_1 <= capacity_1 and count_1 + permits_1 - capacity_1 > 1 then
      local function stamp_at(position)
        local at = (head_1 + position) % room_1 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_1 and stamp or 0
      end
      retry_1 = math.max(oldest_1, stamp_at(count_1 + permits_1 - capacity_1 - 1))
    end
    if count_1 > capacity_1 then
      local function stamp_at(position)
        local at = (head_1 + position) % room_1 * 8
        local stamp = call('GETRANGE', KEYS[2], at, at + 7)
        stamp = #stamp == 8 and parse('<d', stamp) or 0
        return stamp >= 0 and stamp <= newest_1 and stamp or 0
      end
      oldest_1 = math.max(oldest_1, stamp_at(count_1 - capacity_1))
    end
    told[#told + 1] = pack('<ddBdddd', passed, counted, ((agrees_1 and ((allowed and 3) or 1)) or 0) + ((unreadable_1 and 4) or 0), count_1, oldest_1, newest_1, retry_1)
  end
  at = at + 16
end
if changed_1 then
  local longest = 0
  if count_1 > 0 and newest_1 + window_1 - now > longest then
    longest = newest_1 + window_1 - now
  end
  local ends = now + longest
  local expires = (ends - ends % 900000) / 900000 + 1
  if expires == expires_1 and #found_1 == 60 then
    call('SETRANGE', KEYS[1], '0', pack('<I7I4Bdddddd', now, expires, 71, room_1, head_1, count_1, oldest_1, newest_1, window_1))
  else
    local milliseconds = string.format('%d', (expires * 900000 - now) / 1000 + 2)
    call('SET', KEYS[1], pack('<I7I4Bdddddd', now, expires, 71, room_1, head_1, count_1, oldest_1, newest_1, window_1), 'PX', milliseconds)
    call('PEXPIRE', KEYS[2], milliseconds)
  end
end
return table.concat(told)
