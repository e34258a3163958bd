-- Decides: reads what is stored, asks every limit, and takes from all of them or from none.
-- KEYS: the state, and the ring of each log. ARGV: the permits, unless it is one. How these files become
-- one script: see ScriptAssembler.
--: decide
--> now
local permits = ARGV[1] and tonumber(ARGV[1]) or 1
local stored = redis.call('GET', KEYS[1])
--> load
--> admits
local allowed = true
allowed = allowed and agrees_n
local changed = allowed and permits > 0
if changed then
  --> take
elseif permits <= CAPACITY then
  --> refuse
end
if changed then
  local longest = 0
  --> lasts
  --> save
end
--> explain
return struct.pack(ANSWER)
