-- A sliding window log that is charged by outcome: after requests that used more than they were given, it holds
-- up to twice its limit.

-- what explains one answer is not saved
--: explain_apart
local oldest_n = oldest_n

--: in_debt
-- the next permit comes when so many of the oldest have expired
if count_n > capacity_n then
  --> stamp
  oldest_n = math.max(oldest_n, stamp_at(count_n - capacity_n))
end
