-- ARGV: pump, lease ms, then per key: queue, key, pump/token.   Returns the positions of those no longer theirs.
local pump, until_ms = ARGV[1], now + tonumber(ARGV[2])
call('ZADD', global('pumps'), until_ms, pump)
call('ZADD', global('listening'), 'XX', until_ms, pump)
local refused = {}
for i = 3, #ARGV, 3 do
  local holder = call('HGET', name(ARGV[i], 'lease'), ARGV[i + 1])
  if holder == ARGV[i + 2] then
    call('ZADD', name(ARGV[i], 'expiry'), until_ms, ARGV[i + 1])
  else
    refused[#refused + 1] = (i - 3) / 3
    -- A key that nobody holds may just have been finished by this very pump.
    if holder then count(ARGV[i], 'stale_extends', 1) end
  end
end
keep_counts()
return refused
