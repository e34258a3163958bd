-- What all limits have in common.

-- Behind the part of another algorithm, the other limits find theirs where they look for them. Only a decision begins
-- anew: what comes after one that was made under other limits does not undo what these have counted.
--: another
local letter = kind and string.char(kind) or '0'
local size = SIZES_n
if not decides and stored and not unreadable_p and string.find(stored, '^[KINDS_n]', BEGIN_n)
    and string.byte(stored, BEGIN_n) ~= KIND_n then
  return ''
end
carried_p = carried_p or (decides and stored)
if size then
  stored = string.sub(stored, 1, BEGIN_n - 1) .. letter .. string.rep('\0', SIZE_n - 1)
    .. string.sub(stored, BEGIN_n + size)
  found_p, expires_p = stored, 0
else
  stored = false
end

-- Of the limit: 1 if it agrees, and 2 more if the request passes. Of the key: 4 if it held something else than a state.
--: says
(agrees_n and ((allowed and 3) or 1)) or 0
