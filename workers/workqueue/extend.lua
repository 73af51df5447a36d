-- ARGV: pump, lease ms, then per key: queue, key, pump/token.   Returns the positions of those already lost.
local pump, until_ms = ARGV[1], now + tonumber(ARGV[2])
call('ZADD', global('pumps'), until_ms, pump)
call('ZADD', global('listening'), 'XX', until_ms, pump)
local lost = {}
for i = 3, #ARGV, 3 do
  if call('HGET', name(ARGV[i], 'lease'), ARGV[i + 1]) == ARGV[i + 2] then
    call('ZADD', name(ARGV[i], 'expiry'), until_ms, ARGV[i + 1])
  else
    lost[#lost + 1] = (i - 3) / 3
  end
end
if #lost > 0 then call('HINCRBY', global('counters'), 'stale_extends', #lost) end
return lost
