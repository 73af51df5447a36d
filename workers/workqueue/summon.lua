-- ARGV: most pumps, sibling (1: even if a pump has just come for work), queues...   Returns 1 if there is work and a message must be sent for a pump.
for i = 3, #ARGV do
  local has_work = is_waiting(ARGV[i]) or is_due(ARGV[i], 'delayed') or is_due(ARGV[i], 'expiry')
  if has_work and not is_paused(ARGV[i]) then
    return summon(tonumber(ARGV[1]), ARGV[2] == '1')
  end
end
return 0
