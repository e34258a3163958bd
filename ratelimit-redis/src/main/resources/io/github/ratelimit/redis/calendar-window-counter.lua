-- Fixed window counter in the windows of a calendar. The application hands over when the one that it takes for the
-- present one begins and ends, and the ones beside it; the server's time picks. Outside of them it answers with its
-- time alone and changes nothing, and the application hands over others.
--
-- The state is that of one window of the usual kind, from the epoch to the end of the calendar's, so that a limit
-- which gets other windows keeps what was taken in the window that now is.

--: numbers
before_n, begin_n, end_n, after_n, capacity_n, calendar_n

--: variables
made_n, count_n, agrees_n

--: load
if now < before_n or now >= after_n then
  return pack('<d', now)
elseif now < begin_n then
  begin_n, end_n = before_n, begin_n
elseif now >= end_n then
  begin_n, end_n = end_n, after_n
end
do
  local kind, index, window
  if stored and #stored >= END_n then
    HEADER_n kind, made_n, index, count_n, window = parse(FORMAT_n, stored, FROM_n)
    --> moment
  end
  if kind ~= KIND_n then
    --> another
    kind = nil
  elseif not (window > 0 and made_n >= 0 and made_n <= at and index >= 0 and index * window <= at
      and count_n >= 0 and count_n <= 9007199254740992) then
    kind, stored, unreadable_p = nil, false, true
  end
  if not kind then
    made_n, count_n = at, 0
  elseif (index + 1) * window <= at then
    count_n = 0
  elseif (index + 1) * window ~= end_n then
    --> other_window
  end
  if at > now then
    made_n = now
  end
end

--: other_window
if decides then
  made_n, count_n, carried_p = at, math.min(MAX_TAKEN_n, count_n), carried_p or count_n > 0
else
  end_n = (index + 1) * window
end

--: lasts
if count_n > 0 and end_n - now > longest then
  longest = end_n - now
end

--: state
KIND_n, made_n, 0, count_n, end_n

--: answer
end_n, count_n

--: refund_permits
do
  local taken = parse('<d', ARGV[NUMBER_p], TAKEN_n)
  if taken >= made_n and taken >= begin_n and taken <= now then
    count_n = count_n - math.min(permits_p, count_n)
  end
end
