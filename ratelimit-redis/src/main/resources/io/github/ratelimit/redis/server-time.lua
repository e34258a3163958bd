-- Time is the server's own, in microseconds, so that the application servers' clocks do not matter.

--: now
local time = call('TIME')
local now = time[1] * 1000000 + time[2]

-- For how many milliseconds to keep what expires at a moment. At least one more than there are until then,
-- because the server counts them from the beginning of the present one. As a text, which a command takes sooner than
-- a number.
--: lifetime
local milliseconds = string.format('%d', (expires * 900000 - now) / 1000 + 2)
