-- ARGV: pump, most pumps, queues...   Deregisters; returns 1 if work is left that nobody else is sure to come for.
call('ZREM', global('pumps'), ARGV[1])
call('ZREM', global('listening'), ARGV[1])
call('HDEL', global('alone'), ARGV[1])
for i = 3, #ARGV do
  if not is_paused(ARGV[i]) and (is_waiting(ARGV[i]) or is_due(ARGV[i], 'delayed')) then
    return summon(tonumber(ARGV[2]))
  end
end
return 0
