-- KEYS[1] active   KEYS[2] the job row
-- ARGV[1] id   ARGV[2] token: the attempts count that the claim answered   ARGV[3] the queue's key prefix
-- 1: completed   0: the row is gone
-- Pending and metrics are built here; they share the hashtag of KEYS, so in a cluster they are on the same node.
local attempts = redis.call('HGET', KEYS[2], 'attempts')
if not attempts then return 0 end
if attempts ~= ARGV[2] then
  return redis.error_reply('EMQSTALE the token is ' .. ARGV[2] .. ', the attempts are ' .. attempts)
end
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then
  redis.call('ZREM', ARGV[3] .. 'pending', ARGV[1])
end
redis.call('DEL', KEYS[2])
redis.call('HINCRBY', ARGV[3] .. 'metrics:completed', 'count', 1)
return 1
