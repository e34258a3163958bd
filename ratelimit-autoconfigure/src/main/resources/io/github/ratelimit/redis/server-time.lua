-- Time is the server's own, in microseconds, so that the application servers' clocks do not matter.

--: now
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- For how many milliseconds to keep what is as good as new after the longest time. At least one more than
-- these make, because the server counts them from the beginning of the present one.
--: lifetime
local milliseconds = longest / 1000
milliseconds = milliseconds - milliseconds % 1 + 2
