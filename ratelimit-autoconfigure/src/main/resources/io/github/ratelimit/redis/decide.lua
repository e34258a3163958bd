-- Decides: reads what is stored, asks every limit, and takes from all of them or from none.
-- KEYS: the state, and the ring of each log. ARGV: the permits, unless it is one. How these files become
-- one script: see ScriptAssembler.
--: decide
local strange = false
--> deciding

-- The same where a key holds no string, which cannot be ours. What has gone wrong before has saved nothing.
--: mend-and-decide
local strange = true
--> mend
--> deciding

--: mend
for i = 1, #KEYS do
  local held = redis.pcall('GET', KEYS[i])
  if type(held) == 'table' and string.find(held.err, 'WRONGTYPE', 1, true) then
    redis.call('DEL', KEYS[i])
  end
end

--: deciding
--> now
local permits = ARGV[1] and tonumber(ARGV[1]) or 1
local found = redis.call('GET', KEYS[1])
local stored = found
--> load
if found and not stored and not strange then
  --> foreign
end
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

-- Whether what was found is no state of any limit: each begins with the letter of its algorithm.
--: foreign
strange = #found < 9
strange = strange or #found >= BEGIN_n and not string.find('CFGLT', string.sub(found, BEGIN_n, BEGIN_n), 1, true)
strange = strange or #found < END_n and string.byte(found, BEGIN_n) == KIND_n
