-- KEYS the sorted sets, then one hash for each name
-- ARGV[1] how many sets   ARGV[2] a field whose value is not asked for   ARGV[3] how many fields are read
-- ARGV[4] onwards: those fields, then the names
-- for each name {type of its hash, 1: it has the first field, {value, ...}, {score in each set, ...}}
-- Nothing is written.
local sets, read = tonumber(ARGV[1]), tonumber(ARGV[3])
local answers = {}
for at = sets + 1, #KEYS do
  local kind, there, values, scores = redis.call('TYPE', KEYS[at]).ok, 0, {}, {}
  if kind == 'hash' then
    there = redis.call('HEXISTS', KEYS[at], ARGV[2])
    values = redis.call('HMGET', KEYS[at], unpack(ARGV, 4, 3 + read))
  end
  for set = 1, sets do
    scores[set] = redis.call('ZSCORE', KEYS[set], ARGV[3 + read + at - sets])
  end
  answers[#answers + 1] = { kind, there, values, scores }
end
return answers
