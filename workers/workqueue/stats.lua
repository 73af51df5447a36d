-- ARGV: queues...   Returns {pumps, listening, {counters...}, then per queue: {paused, high, low, suspects, delayed,
-- leases, again, oldest ms in high, in low, among suspects, ms worked on unfinished keys, the longest of these, pumps
-- that hold any}}.
local function oldest(queue, ...)
  local ms = 0
  for _, band in ipairs({...}) do
    local first = call('ZRANGE', name(queue, band), 0, 0, 'WITHSCORES')
    if first[2] then ms = math.max(ms, now - math.floor(tonumber(first[2]) / 1024)) end
  end
  return ms
end

local function unfinished(queue)
  local sum, longest, pumps, seen = 0, 0, 0, {}
  for _, token in ipairs(call('HVALS', name(queue, 'lease'))) do
    local pump, since = string.match(token, '^(.-)/.*@(%d+)$')
    local ms = math.max(0, now - tonumber(since))
    sum, longest = sum + ms, math.max(longest, ms)
    if not seen[pump] then seen[pump] = true; pumps = pumps + 1 end
  end
  return sum, longest, pumps
end

local function look_at(queue)
  local sum, longest, pumps = unfinished(queue)
  return {
    is_paused(queue) and 1 or 0, call('ZCARD', name(queue, 'high')), call('ZCARD', name(queue, 'low')),
    call('ZCARD', name(queue, 'suspect')) + call('ZCARD', name(queue, 'quarantine')),
    call('ZCARD', name(queue, 'delayed')), call('HLEN', name(queue, 'lease')), call('HLEN', name(queue, 'again')),
    oldest(queue, 'high'), oldest(queue, 'low'), oldest(queue, 'suspect', 'quarantine'), sum, longest, pumps,
  }
end

local reply = {
  call('ZCOUNT', global('pumps'), now, '+inf'), call('ZCOUNT', global('listening'), now, '+inf'),
  call('HGETALL', global('counters')),
}
for _, queue in ipairs(ARGV) do reply[#reply + 1] = look_at(queue) end
return reply
