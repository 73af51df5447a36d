-- ARGV: queue, band, most pumps, delay ms, keys...   Returns {news, send a message}.
local queue, band, delay = ARGV[1], ARGV[2], tonumber(ARGV[4])
local news = 0
if delay > 0 then
  for i = 5, #ARGV do delay_until(queue, ARGV[i], now + delay) end
  return {0, 0}
end
local known = what_is_known(queue)
for i = 5, #ARGV do news = news + add(queue, ARGV[i], band, known) end
count(queue, 'adds', news)
keep_place()
keep_counts()
return {news, news > 0 and not is_paused(queue) and summon(tonumber(ARGV[3])) or 0}
