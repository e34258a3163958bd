-- A sliding window log whose requests may wait until enough stamps have expired. Its stamps are of the moment at which a
-- request goes, which may lie ahead, but not before the newest one. All are kept that count now or will, so that each
-- request can give its own back. The longest wait is negative for a request that cannot wait.

--: numbers
window_n, capacity_n, longest_n

--: admits
agrees_n = true
if permits_p > 0 then
  retry_n = math.max(now, newest_n)
  local newer = capacity_n - permits_p
  if newer >= 0 and count_n > newer then
    --> stamp
    retry_n = math.max(retry_n, math.max(oldest_n, stamp_at(count_n - newer - 1)) + window_n)
  end
  agrees_n = newer >= 0 and (retry_n == now or retry_n - now <= longest_n)
end

--: stamped
newest_n = retry_n

-- As many as the limit has left, which are taken behind those who wait.
--: charge
do
  local permits_p = math.min(permits_p, capacity_n - count_n)
  if permits_p > 0 then
    retry_n = math.max(now, newest_n)
    --> take
  end
end

-- A request that would only have to wait is none that does not stop.
--: refuse
refused = refused or (not agrees_n and (permits_p > capacity_n or retry_n - now > math.abs(longest_n)))

-- The server's clock was set back: what is ahead of the moment that the state knows of stays as far ahead.
--: set_back
--> stamps
local all, moved = stamps_from(0), {}
for i = 1, #all, 8 do
  local stamp = parse('<d', all, i)
  moved[#moved + 1] = pack('<d', math.min(stamp, now + math.max(0, stamp - at)))
end
call('SETRANGE', KEYS[KEY_n], 0, table.concat(moved))
head_n, expires_p = 0, 0
oldest_n, newest_n = math.min(oldest_n, now + math.max(0, oldest_n - at)), now + math.max(0, newest_n - at)

-- the next permit comes when so many of the oldest have expired
--: explain
retry_n = retry_n or now
--> in_debt
