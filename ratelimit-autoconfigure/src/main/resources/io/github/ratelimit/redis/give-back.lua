-- Gives back what a request was given. ARGV: the permits, and for each limit the moment of its decision and
-- the time that it named until it would be as good as new.
--: give-back
local strange = false
--> giving-back

--: mend-and-give-back
local strange = true
--> mend
--> giving-back

--: giving-back
--> now
local permits = tonumber(ARGV[1])
local stored = redis.call('GET', KEYS[1])
if not stored then
  return ''
end
--> load
--> give_back
local longest = 0
--> lasts
if longest > 0 then
  --> save
else
  redis.call('DEL', unpack(KEYS))
end
return ''
