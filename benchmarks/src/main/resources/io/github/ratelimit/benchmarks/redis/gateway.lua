-- A token bucket in the shape of Spring Cloud Gateway's: two keys, times in whole seconds, written whatever
-- the outcome. ARGV: tokens a second, and how many the bucket holds.
local rate = tonumber(ARGV[1])
local capacity = tonumber(ARGV[2])
local now = tonumber(redis.call('TIME')[1])
local ttl = math.floor(capacity / rate * 2)
local tokens = tonumber(redis.call('GET', KEYS[1])) or capacity
local refreshed = tonumber(redis.call('GET', KEYS[2])) or 0
local filled = math.min(capacity, tokens + math.max(0, now - refreshed) * rate)
local allowed = filled >= 1
local left = allowed and filled - 1 or filled
if ttl > 0 then
  redis.call('SETEX', KEYS[1], ttl, left)
  redis.call('SETEX', KEYS[2], ttl, now)
end
return { allowed and 1 or 0, left }
