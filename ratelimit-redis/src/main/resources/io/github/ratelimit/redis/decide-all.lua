-- Decides on several requests for one policy and key: in their order, at one moment, each as it would have been
-- decided alone in its position. Requests alike that follow one another are a run, and how many of a run pass is
-- arithmetic: those that do come first, and what rejects one rejects all behind it. KEYS: the state, and the ring
-- of each log. ARGV: the numbers of the limits, and behind them of each run the permits of a request and how many
-- requests it has.
--: decide-all
local unreadable_p = false
--> deciding-all

--: repair-and-decide-all
local unreadable_p = false
--> repair
--> deciding-all

--: deciding-all
local decides, allowed = true, false
--> names
--> now
--> read_state
--> banned
local told, at = { pack('<d', now) }, LENGTH_p + 1
while at <= #ARGV[NUMBER_p] do
  local permits_p, asked = parse('<dd', ARGV[NUMBER_p], at)
  local passed, counted = 0, 0
  if permits_p > 0 then
    passed = asked
    --> passes
    --> none_while_banned
    passed = math.max(0, math.floor(passed))
    if passed > 0 then
      changed_p = true
      local permits_p = passed * permits_p
      --> take
    end
  end
  -- each of the others finds what those have left
  --> admits
  if permits_p > 0 and passed < asked then
    local carried_p, rejected = carried_p, true
    --> turn_away
  end
  do
    --> explain_apart
    --> explain
    told[#told + 1] = ANSWER
  end
  at = at + 16
end
--> keep
return table.concat(told)

-- Of each run: how many pass, and which of the others is the last that a ban has counted, if there is one.
--: answer_head
passed, counted

-- All of them, or so many that the ban begins.
--: count_rejections
counted = math.max(1, math.min(asked - passed, after - #stamps / 8))
stamps = stamps .. string.rep(pack('<d', now), counted)
