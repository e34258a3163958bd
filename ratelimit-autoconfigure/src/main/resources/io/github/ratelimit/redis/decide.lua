-- Decides on a request for one policy or for several: asks every limit of each, and takes from all of them
-- or from none. KEYS: of each policy in turn the state, and the ring of each log. ARGV: of each policy the
-- numbers of its limits, then the permits of all, unless each is asked for one. How these files become one
-- script: see ScriptAssembler.
--: decide
local strange_p = false
--> deciding

-- The same where a key holds no string, which cannot be ours. What has gone wrong before has saved nothing.
--: mend-and-decide
local strange_p = false
--> mend
--> deciding

--: deciding
--> now
local permits_p = 1
if ARGV[PERMITS] then
  ALL_PERMITS = struct.unpack(PERMITS_FORMAT, ARGV[PERMITS])
end
--> read
local allowed = true
allowed = allowed and agrees_n
--> change
--> keep
--> explain
return ANSWER
