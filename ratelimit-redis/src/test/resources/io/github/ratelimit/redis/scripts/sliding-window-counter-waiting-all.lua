-- Decides on several requests.
local unreadable_1 = false
local decides, allowed = true, false
local call, pack, parse = redis.call, struct.pack, struct.unpack
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local window_1, capacity_1, longest_1, admitted_1 = parse('<dddd', ARGV[1])
local expires_1, changed_1 = 0, false
local found_1, carried_1 = call('GET', KEYS[1]), false
local made_1, index_1, count_1, previous_1, into_1, agrees_1
do
  local stored, at, written = found_1, now
  into_1 = now % window_1
  do
    local kind, window
    if stored and #stored >= 52 then
      written, expires_1,  kind, made_1, index_1, count_1, previous_1, window = parse('<I7I4Bddddd', stored, 1)
      if written > 9007199254740992 then
        kind, unreadable_1 = nil, true
      elseif written > now then
        at, changed_1 = written, true
      end
    end
    if kind ~= 67 then
      local letter = kind and string.char(kind) or '0'
      local size = (letter == 'C' and 41) or (letter == 'F' and 33) or (letter == 'G' and 49) or (letter == 'L' and 33) or (letter == 'T' and 33)
      if not decides and stored and not unreadable_1 and string.find(stored, '^[CFGLT]', 12)
          and string.byte(stored, 12) ~= 67 then
        return ''
      end
      carried_1 = carried_1 or (decides and stored)
      if size then
        stored = string.sub(stored, 1, 12 - 1) .. letter .. string.rep('\0', 41 - 1)
        .. string.sub(stored, 12 + size)
        found_1, expires_1 = stored, 0
      else
        stored = false
      end
      kind = nil
    elseif not (window > 0 and window <= 9007199254740992 and made_1 >= 0 and made_1 <= at
        and index_1 >= 0 and index_1 * window - at <= 3600000000 + 2 * window
        and count_1 >= 0 and previous_1 >= 0 and count_1 + previous_1 <= 9007199254740992) then
      kind, stored, unreadable_1 = nil, false, true
    elseif window ~= window_1 or count_1 > capacity_1 or previous_1 > capacity_1 then
      if decides then
        local former = (at - at % window) / window
        if former > index_1 then
          index_1, count_1, previous_1 = former, 0, former == index_1 + 1 and count_1 or 0
        end
        local held, more
        do
          local window_1, into_1 = window, math.max(0, at - index_1 * window)
          local share, rest = previous_1 * (window_1 - into_1), 0
          if share < 9007199254740992 then
            rest = share % window_1
            share = (share - rest) / window_1
          else
            share = 0
            for shift = 40, 0, -10 do
              local digit = math.floor(previous_1 / 2 ^ shift) % 1024
              local part = rest * 1024 + digit * (window_1 - into_1)
              local whole = math.floor(part / window_1)
              share = share * 1024 + whole
              rest = part - whole * window_1
            end
          end
          held, more = share + count_1, rest > 0 and 1 or 0
        end
        if window ~= window_1 then
          local counting = math.max(at, index_1 * window)
          made_1, index_1, carried_1 = at, (counting - counting % window_1) / window_1, carried_1 or held + more > 0
          count_1, previous_1 = math.min(capacity_1, held + more), 0
        elseif count_1 > capacity_1 or previous_1 > capacity_1 then
          local into_1 = math.max(0, at - index_1 * window_1)
          previous_1 = math.min(capacity_1, previous_1)
          local share, rest = previous_1 * (window_1 - into_1), 0
          if share < 9007199254740992 then
            rest = share % window_1
            share = (share - rest) / window_1
          else
            share = 0
            for shift = 40, 0, -10 do
              local digit = math.floor(previous_1 / 2 ^ shift) % 1024
              local part = rest * 1024 + digit * (window_1 - into_1)
              local whole = math.floor(part / window_1)
              share = share * 1024 + whole
              rest = part - whole * window_1
            end
          end
          count_1 = math.max(math.min(capacity_1, held) - share, math.min(capacity_1, count_1))
          made_1, carried_1 = at, true
        end
      else
        window_1, into_1 = window, now % window
      end
    end
    local current = (at - at % window_1) / window_1
    if not kind then
      made_1, index_1, count_1, previous_1 = at, current, 0, 0
    elseif current > index_1 then
      index_1, count_1, previous_1 = current, 0, current == index_1 + 1 and count_1 or 0
    elseif current < index_1 then
      into_1 = 0
    end
    if at > now then
      local present = (now - now % window_1) / window_1
      made_1, index_1 = now, index_1 - current + present
      if now % window_1 > at % window_1 and (index_1 - present) * window_1 <= 3600000000 + window_1 then
        local function have_passed(latest, index_1, permits_1)
          local fits = permits_1 <= capacity_1 and latest >= index_1 * window_1
          if fits then
            local into_1 = latest % window_1
            local later = (latest - into_1) / window_1 - index_1
            local count, previous_1 = count_1, previous_1
            if later > 0 then
              count, previous_1 = 0, later == 1 and count or 0
            end
            local share, rest = previous_1 * (window_1 - into_1), 0
            if share < 9007199254740992 then
              rest = share % window_1
              share = (share - rest) / window_1
            else
              share = 0
              for shift = 40, 0, -10 do
                local digit = math.floor(previous_1 / 2 ^ shift) % 1024
                local part = rest * 1024 + digit * (window_1 - into_1)
                local whole = math.floor(part / window_1)
                share = share * 1024 + whole
                rest = part - whole * window_1
              end
            end
            fits = permits_1 <= capacity_1 - share - count
          end
          return fits
        end
        if not have_passed(at, index_1 - present + current, 0) then
          index_1, into_1 = index_1 + 1, 0
        end
      end
    end
  end
  if not stored then
    expires_1 = 0
    if found_1 and not unreadable_1 then
      unreadable_1 = #found_1 < 12
      unreadable_1 = unreadable_1 or (#found_1 >= 12 and not string.find(found_1, '^[CFGLT]', 12))
      unreadable_1 = unreadable_1 or (#found_1 < 52 and string.byte(found_1, 12) == 67)
    end
  elseif #stored > 52 then
    carried_1 = true
  end
end
local told, at = { pack('<d', now) }, 32 + 1
while at <= #ARGV[1] do
  local permits_1, asked = parse('<dd', ARGV[1], at)
  local passed, counted = 0, 0
  if permits_1 > 0 then
    passed = asked
    do
      local share, rest = previous_1 * (window_1 - into_1), 0
      if share < 9007199254740992 then
        rest = share % window_1
        share = (share - rest) / window_1
      else
        share = 0
        for shift = 40, 0, -10 do
          local digit = math.floor(previous_1 / 2 ^ shift) % 1024
          local part = rest * 1024 + digit * (window_1 - into_1)
          local whole = math.floor(part / window_1)
          share = share * 1024 + whole
          rest = part - whole * window_1
        end
      end
      passed = math.min(passed, (capacity_1 - share - count_1) / permits_1)
    end
    passed = math.max(0, math.floor(passed))
    if passed > 0 then
      changed_1 = true
      local permits_1 = passed * permits_1
      while count_1 + math.floor(previous_1 / window_1) + permits_1 > capacity_1 do
        index_1, count_1, previous_1 = index_1 + 1, 0, count_1
      end
      count_1 = count_1 + permits_1
    end
  end
  agrees_1 = permits_1 == 0
  if permits_1 > 0 then
    local latest = now + admitted_1
    local fits = permits_1 <= capacity_1 and latest >= index_1 * window_1
    if fits then
      local into_1 = latest % window_1
      local later = (latest - into_1) / window_1 - index_1
      local count, previous_1 = count_1, previous_1
      if later > 0 then
        count, previous_1 = 0, later == 1 and count or 0
      end
      local share, rest = previous_1 * (window_1 - into_1), 0
      if share < 9007199254740992 then
        rest = share % window_1
        share = (share - rest) / window_1
      else
        share = 0
        for shift = 40, 0, -10 do
          local digit = math.floor(previous_1 / 2 ^ shift) % 1024
          local part = rest * 1024 + digit * (window_1 - into_1)
          local whole = math.floor(part / window_1)
          share = share * 1024 + whole
          rest = part - whole * window_1
        end
      end
      fits = permits_1 <= capacity_1 - share - count
    end
    agrees_1 = fits
  end
  if permits_1 > 0 and passed < asked then
    local carried_1, rejected = carried_1, true
    carried_1 = carried_1 and permits_1 <= capacity_1
    if carried_1 and permits_1 > 0 then
      changed_1 = true
    end
    rejected = rejected or not agrees_1
  end
  do
    told[#told + 1] = pack('<ddBddd', passed, counted, ((agrees_1 and ((allowed and 3) or 1)) or 0) + ((unreadable_1 and 4) or 0), index_1, count_1, previous_1)
  end
  at = at + 16
end
if changed_1 then
  local longest = 0
  do
    local lasts = index_1 * window_1 - now
    if count_1 > 0 then
      lasts = (index_1 + 2) * window_1 - math.ceil(window_1 / count_1) + 1 - now
    elseif previous_1 > 0 then
      lasts = math.max(lasts, (index_1 + 1) * window_1 - math.ceil(window_1 / previous_1) + 1 - now)
    end
    if lasts > longest then
      longest = lasts
    end
  end
  local ends = now + longest
  local expires = (ends - ends % 900000) / 900000 + 1
  if expires == expires_1 and #found_1 == 52 then
    call('SETRANGE', KEYS[1], '0', pack('<I7I4Bddddd', now, expires, 67, made_1, index_1, count_1, previous_1, window_1))
  else
    local milliseconds = string.format('%d', (expires * 900000 - now) / 1000 + 2)
    call('SET', KEYS[1], pack('<I7I4Bddddd', now, expires, 67, made_1, index_1, count_1, previous_1, window_1), 'PX', milliseconds)
  end
end
return table.concat(told)
