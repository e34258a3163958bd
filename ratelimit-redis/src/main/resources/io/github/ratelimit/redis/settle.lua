-- Takes what a request turned out to have used beyond what it was given, whatever is left. KEYS: the state, and
-- the ring of each log. ARGV: the numbers of the limits, and behind them the permits.
--: settle
local unreadable_p = false
--> settling

--: repair-and-settle
local unreadable_p = false
--> repair
--> settling

-- The same, and answers with what was left before and after, for a policy that warns.
--: settle-and-tell
local unreadable_p = false
--> settling-and-telling

--: repair-and-settle-and-tell
local unreadable_p = false
--> repair
--> settling-and-telling

--: settling
local decides = false
--> names
--> now
--> read
--> unless_of_more
--> charge
local longest = 0
--> lasts
--> save
return ''

--: settling-and-telling
local decides, allowed = false, true
--> names
--> now
--> read
--> unless_of_more
agrees_n = true
local told
do
  --> explain_apart
  --> explain
  told = ANSWER
end
--> charge
local longest = 0
--> lasts
--> save
--> explain
return told .. ANSWER
