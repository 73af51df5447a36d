-- ARGV: queues...   Returns per queue: high, low, suspects, delayed, leases, again, oldest ms; then the pumps,
-- those listening, reclaims, stale finishes, stale extends.
local reply = {}
for _, queue in ipairs(ARGV) do
  local oldest = 0
  for _, band in ipairs({'high', 'low', 'suspect', 'quarantine'}) do
    local first = call('ZRANGE', name(queue, band), 0, 0, 'WITHSCORES')
    if first[2] then oldest = math.max(oldest, now - math.floor(tonumber(first[2]) / 1024)) end
  end
  local suspects = call('ZCARD', name(queue, 'suspect')) + call('ZCARD', name(queue, 'quarantine'))
  for _, value in ipairs({
    call('ZCARD', name(queue, 'high')), call('ZCARD', name(queue, 'low')), suspects,
    call('ZCARD', name(queue, 'delayed')), call('HLEN', name(queue, 'lease')), call('HLEN', name(queue, 'again')),
    oldest,
  }) do reply[#reply + 1] = value end
end
reply[#reply + 1] = call('ZCOUNT', global('pumps'), now, '+inf')
reply[#reply + 1] = call('ZCOUNT', global('listening'), now, '+inf')
for _, counter in ipairs({'reclaims', 'stale_finishes', 'stale_extends'}) do
  reply[#reply + 1] = tonumber(call('HGET', global('counters'), counter) or 0)
end
return reply
