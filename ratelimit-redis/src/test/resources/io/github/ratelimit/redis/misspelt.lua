-- A limit that rejects nothing, with one section whose name is misspelt.

--: numbers
window_n, capacity_n

--: variables
made_n, agrees_n

--: load
made_n = now

--: admits
agrees_n = true

--: passses
passed = math.min(passed, capacity_n)

--: can_pass
carried_p = true

--: take
changed_p = true

--: charge
changed_p = true

--: refuse
refused = refused or not agrees_n

--: lasts
longest = window_n

--: state
KIND_n, made_n, 0, 0, window_n

--: answer
made_n

--: refund_permits
made_n = now
