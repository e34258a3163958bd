-- Decides on a request for one policy or for several: asks every limit of each, and takes from all of them
-- or from none. KEYS: of each policy in turn the state, and the ring of each log. ARGV: of each policy the
-- numbers of its limits, and behind them the permits, unless it is one. How these files become one script: see
-- ScriptAssembler.
--: decide
local unreadable_p = false
--> deciding

-- The same where a key holds no string, which cannot be ours. The script that failed has saved nothing.
--: repair-and-decide
local unreadable_p = false
--> repair
--> deciding

--: deciding
local decides = true
--> names
--> now
--> read
--> admits
--> banned
local allowed = true
allowed = allowed and agrees_n
--> unless_banned
local rejected = false
--> change
--> keep
--> explain
return ANSWER

-- What the answer begins with.
--: answer_head
now

--: count_rejections
stamps = stamps .. pack('<d', now)

-- Globals are looked up by their names each time.
--: names
local call, pack, parse = redis.call, struct.pack, struct.unpack
