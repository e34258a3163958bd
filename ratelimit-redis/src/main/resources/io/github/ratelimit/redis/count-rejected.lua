-- A sliding window log that counts what it rejects, but for requests that the policy could never let pass.

--: numbers
window_n, capacity_n, most_n

--: reject
if not agrees_n and permits_p <= most_n then
  changed_p = true
  --> take
end
