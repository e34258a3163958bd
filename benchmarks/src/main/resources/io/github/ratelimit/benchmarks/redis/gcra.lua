-- The generic cell rate algorithm: the key holds the moment, in microseconds, at which all that was taken
-- will have drained. ARGV: what one permit takes, and what all together may take.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval = tonumber(ARGV[1])
local capacity = tonumber(ARGV[2])
local drained = math.max(now, tonumber(redis.call('GET', KEYS[1]) or now)) + interval
local room = now + capacity - drained
if room < 0 then
  return { 0, 0, -room, drained - interval - now }
end
redis.call('SET', KEYS[1], drained, 'PX', math.ceil((drained - now) / 1000))
return { 1, math.floor(room / interval), 0, drained - now }
