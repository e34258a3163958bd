-- The steps for each policy of a request in turn.

-- What the answer says of a ban, if the policy has one.
--: ban

--: repair
for i = KEY_p, LAST_KEY_p do
  local held = redis.pcall('GET', KEYS[i])
  if type(held) == 'table' and string.find(held.err, 'WRONGTYPE', 1, true) then
    redis.call('DEL', KEYS[i])
    unreadable_p = true
  end
end

--: read
local permits_p = #ARGV[NUMBER_p] > LENGTH_p and parse('<d', ARGV[NUMBER_p], LENGTH_p + 1) or 1
--> read_state

--: read_state
local NUMBERS_p = parse(NUMBERS_FORMAT_p, ARGV[NUMBER_p])
local expires_p, changed_p = 0, false
local found_p, carried_p = call('GET', KEYS[KEY_p]), false
local VARIABLES_n
do
  local stored, at, written = found_p, now
  --> load
  if not stored then
    expires_p = 0
    if found_p and not unreadable_p then
      --> check
    end
  elseif #stored > END_p then
    -- limits that were removed are forgotten by whatever the others decide
    carried_p = true
  end
end

-- Whether what was found is no state of any limit: each begins with the letter of its algorithm.
--: check
unreadable_p = #found_p < 12
unreadable_p = unreadable_p or (#found_p >= BEGIN_n and not string.find(found_p, '^[KINDS_n]', BEGIN_n))
unreadable_p = unreadable_p or (#found_p < END_n and string.byte(found_p, BEGIN_n) == KIND_n)

-- A refund or a charge under fewer limits would drop the state of the others, so it does nothing.
--: unless_of_more
if found_p and not unreadable_p and #found_p > END_p then
  return ''
end

-- Before anything is saved: a key that holds no string fails here, and everything is done again.
-- The first policy that rejects has rejected the request, and no later one has seen it.
--: change
if allowed then
  if permits_p > 0 then
    changed_p = true
    --> take
  end
elseif not rejected then
  --> turn_away
end

--: turn_away
--> carry
--> reject
rejected = rejected or not agrees_n

-- A rejection is saved if something was carried over for it, and the policy could ever let such a request pass. A look
-- carries nothing over.
--: carry
--> can_pass
if carried_p and permits_p > 0 then
  changed_p = true
end

--: keep
if changed_p then
  local longest = 0
  --> lasts
  --> save
end
--> keep_ban

-- Keeps the state of all limits in one string, until all have all their permits and a little longer: moments of
-- expiry are whole multiples of 0.9 s, so that the expiry need not be renewed at every decision.
--: save
local ends = now + longest
local expires = (ends - ends % 900000) / 900000 + 1
if expires == expires_p and #found_p == END_p then
  -- answers a number, where SET answers a table
  call('SETRANGE', KEYS[KEY_p], '0', STATE_p)
else
  --> lifetime
  call('SET', KEYS[KEY_p], STATE_p, 'PX', milliseconds)
  --> expire
end
