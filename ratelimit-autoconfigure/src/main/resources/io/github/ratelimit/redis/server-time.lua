-- Time is the server's own, in microseconds, so that the application servers' clocks do not matter.
local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- For how many milliseconds to keep what is as good as new after some microseconds. One more than these
-- make, because the server counts them from the beginning of the present one.
local function lifetime(micros)
  return math.ceil(micros / 1000) + 1
end
