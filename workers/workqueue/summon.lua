-- ARGV: most pumps, queues...   Returns 1 if there is work and a message must be sent for a pump.
for i = 2, #ARGV do
  if is_waiting(ARGV[i]) or is_due(ARGV[i], 'delayed') or is_due(ARGV[i], 'expiry') then
    return summon(tonumber(ARGV[1]))
  end
end
return 0
