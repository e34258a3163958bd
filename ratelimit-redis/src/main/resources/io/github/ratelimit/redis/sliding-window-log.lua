-- Sliding window log: the time stamps of the counted permits in ascending order, at most as many as the
-- limit, as eight bytes each in a ring in a string of its own, which has room for so many. The oldest and the
-- newest are in the state, too. A stamp that the server has evicted counts as long expired. Where requests wait, or did
-- under limits of before, their stamps lie ahead by up to an hour.

--: numbers
window_n, capacity_n

--: variables
room_n, head_n, count_n, oldest_n, newest_n, retry_n, agrees_n

--: load
do
  local kind, window
  local covered = window_n
  if stored and #stored >= END_n then
    HEADER_n kind, room_n, head_n, count_n, oldest_n, newest_n, window = parse(FORMAT_n, stored, FROM_n)
    --> moment
  end
  local sound = kind == KIND_n
  if not sound then
    --> another
  elseif not (room_n >= 0 and room_n <= 4294967296 and room_n % 1 == 0
      and head_n >= 0 and head_n <= room_n and head_n % 1 == 0
      and count_n >= 0 and count_n <= room_n and count_n % 1 == 0
      and oldest_n >= 0 and oldest_n <= newest_n and newest_n - at <= 3600000000 and window > 0) then
    sound, stored, unreadable_p = false, false, true
  elseif window ~= window_n then
    --> other_window
  end
  if not sound then
    room_n, head_n, count_n, oldest_n, newest_n = 0, 0, 0, 0, 0
  end
  local expired = at - covered
  if newest_n <= expired then
    count_n, oldest_n, newest_n = 0, 0, 0
  elseif oldest_n <= expired then
    -- The stamp at low has expired, that at high has not: found in steps that double, then by halving.
    --> stamp
    local low, high, step = 0, count_n - 1, 1
    oldest_n = newest_n
    while high - low > 1 do
      local middle = low + step
      if middle >= high then
        middle = math.floor((low + high) / 2)
      end
      local stamp = stamp_at(middle)
      if stamp > expired then
        high, step, oldest_n = middle, count_n, stamp
      else
        low, step = middle, step * 2
      end
    end
    head_n, count_n = (head_n + high) % room_n, count_n - high
  end
  if decides and count_n > MAX_TAKEN_n then
    --> lowered
  end
  if at > now and newest_n > now then
    --> set_back
  end
end

-- what has expired does not come back when the window becomes longer
--: other_window
if decides then
  covered = math.min(window, window_n)
  carried_p = carried_p or newest_n > at - window
else
  window_n, covered = window, window
end

-- the newest are kept
--: lowered
head_n, count_n, carried_p = (head_n + count_n - MAX_TAKEN_n) % room_n, MAX_TAKEN_n, true
--> stamp
oldest_n = math.max(oldest_n, stamp_at(0))

-- the stamps that are ahead of a clock that was set back become the present, in their positions
--: set_back
--> stamp
local low, high = 0, count_n - 1
while low < high do
  local middle = math.floor((low + high) / 2)
  if stamp_at(middle) > now then
    high = middle
  else
    low = middle + 1
  end
end
local first, last = (head_n + low) % room_n, (head_n + count_n - 1) % room_n
local stamps = string.rep(pack('<d', now), count_n - low)
if first > last then
  call('SETRANGE', KEYS[KEY_n], 0, string.sub(stamps, (room_n - first) * 8 + 1))
  stamps = string.sub(stamps, 1, (room_n - first) * 8)
end
call('SETRANGE', KEYS[KEY_n], first * 8, stamps)
oldest_n, newest_n, expires_p = math.min(oldest_n, now), now, 0

--: stamp
local function stamp_at(position)
  local at = (head_n + position) % room_n * 8
  local stamp = call('GETRANGE', KEYS[KEY_n], at, at + 7)
  stamp = #stamp == 8 and parse('<d', stamp) or 0
  return stamp >= 0 and stamp <= newest_n and stamp or 0
end

--: admits
agrees_n = permits_p == 0 or permits_p <= capacity_n - count_n

--: passes
passed = math.min(passed, (capacity_n - count_n) / permits_p)

--: can_pass
carried_p = carried_p and permits_p <= capacity_n

--: take
do
  -- all are kept, unless rejected requests are counted
  local needed = count_n + permits_p
  if needed > MAX_TAKEN_n then
    needed = MAX_TAKEN_n
  end
  local kept = needed - permits_p
  local dropped = count_n - kept
  --> stamped
  local added = pack('<d', newest_n)
  if permits_p > 1 then
    added = string.rep(added, permits_p)
  end
  if needed <= room_n and room_n <= MAX_TAKEN_n then
    --> overwrite
  elseif head_n + count_n == room_n and room_n + permits_p <= MAX_TAKEN_n
      and call('APPEND', KEYS[KEY_n], added) == (room_n + permits_p) * 8 then
    head_n, room_n = head_n + dropped, room_n + permits_p
  else
    --> move
  end
  if kept == 0 then
    oldest_n = newest_n
  elseif dropped > 0 then
    --> stamp
    oldest_n = math.max(stamp_at(0), now - window_n + 1)
  end
  count_n = needed
end

-- the stamp of the new ones, which is the newest
--: stamped
if newest_n < now then
  newest_n = now
end

-- puts the stamps into the ring, in place of expired ones
--: overwrite
head_n = (head_n + dropped) % room_n
local at = (head_n + kept) % room_n
local fitting = (room_n - at) * 8
if #added > fitting then
  call('SETRANGE', KEYS[KEY_n], 0, string.sub(added, fitting + 1))
  added = string.sub(added, 1, fitting)
end
local length = call('SETRANGE', KEYS[KEY_n], at * 8, added)
-- a ring that the server had evicted is new, and has no expiry
if (length ~= room_n * 8 or #added == fitting) and call('PTTL', KEYS[KEY_n]) < 0 then
  expires_p = 0
end

-- begins another ring, because this one must grow but not at its end, or shrink, or is not what it should be
--: move
--> stamps
local stamps = stamps_from(dropped) .. added
head_n, room_n = 0, math.min(MAX_TAKEN_n, 2 * needed)
call('SET', KEYS[KEY_n], stamps .. string.rep('\0', room_n * 8 - #stamps))
expires_p = 0

--: stamps
local function stamps_from(position)
  local length = count_n - position
  if length == 0 then
    return ''
  end
  local at = (head_n + position) % room_n
  local stamps = call('GETRANGE', KEYS[KEY_n], at * 8, math.min(at + length, room_n) * 8 - 1)
  if at + length > room_n then
    stamps = stamps .. call('GETRANGE', KEYS[KEY_n], 0, (at + length - room_n) * 8 - 1)
  end
  return string.rep('\0', length * 8 - #stamps) .. stamps
end

--: charge
do
  local permits_p = math.min(permits_p, MAX_TAKEN_n - count_n)
  if permits_p > 0 then
    --> take
  end
end

--: refuse
refused = refused or not agrees_n

--: lasts
if count_n > 0 and newest_n + window_n - now > longest then
  longest = newest_n + window_n - now
end

--: state
KIND_n, room_n, head_n, count_n, oldest_n, newest_n, window_n

--: expire
call('PEXPIRE', KEYS[KEY_n], milliseconds)

--: explain
-- a rejected request would pass when so many of the oldest have expired
retry_n = oldest_n
if not agrees_n and permits_p <= capacity_n and count_n + permits_p - capacity_n > 1 then
  --> stamp
  retry_n = math.max(oldest_n, stamp_at(count_n + permits_p - capacity_n - 1))
end
--> in_debt

--: answer
count_n, oldest_n, newest_n, retry_n

--: refund_permits
do
  --> stamp
  local function first_from(moment)
    local low, high = 0, count_n
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
  local taken = parse('<d', ARGV[NUMBER_p], TAKEN_n)
  local first = first_from(taken)
  local last = math.min(first + permits_p, first_from(taken + 1))
  if last > first then
    if last < count_n then
      --> stamps
      local all = stamps_from(0)
      call('SETRANGE', KEYS[KEY_n], 0, string.sub(all, 1, first * 8) .. string.sub(all, last * 8 + 1))
      head_n, expires_p = 0, 0
    end
    count_n = count_n - (last - first)
    if count_n > 0 then
      oldest_n, newest_n = stamp_at(0), stamp_at(count_n - 1)
      if oldest_n > newest_n then
        oldest_n = newest_n
      end
    else
      oldest_n, newest_n = 0, 0
    end
  end
end
