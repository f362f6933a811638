/* BullMQ's job schedulers: `node bullmq_peer.cjs SOCKET`, a line in, a number out.

    register FIRST COUNT   `upsertJobScheduler` with every a day, due in a day, 100 under way      seconds
    due COUNT              not timed: the delayed jobs of the first COUNT fall due, others' are left
    run COUNT              a `Worker` with a processor that does nothing, 100 at a time            seconds
    fetch COUNT            `Worker.getNextJob`, 100 under way, and no job is finished              seconds
    tick COUNT             so many `Worker.getNextJob` with nothing due                            seconds
*/
const { createInterface } = require("node:readline");
const { Queue, Worker } = require("bullmq");
const { Redis } = require("ioredis");

const DAY_MS = 86400000;
const UNDER_WAY = 100;
const NAME = "peer";
const connection = { path: process.argv[2], maxRetriesPerRequest: null };
const client = new Redis(connection);
const queue = new Queue(NAME, { connection });
const byHand = new Worker(NAME, null, { connection });
const seconds = began => (performance.now() - began) / 1000;

// Removes what was fetched, and scores the delayed jobs as if their day had come.
const FALL_DUE = `
for _, id in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
  redis.call('UNLINK', ARGV[1] .. id, ARGV[1] .. id .. ':lock')
end
redis.call('UNLINK', KEYS[2])
local due = {}
for number = 0, ARGV[2] - 1 do due['r' .. number] = true end
local count = 0
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if due[string.match(id, '^repeat:(.-):')] then
    redis.call('ZADD', KEYS[1], (ARGV[3] - 10000) * 4096 + count, id)
    count = count + 1
  end
end
return count`;

// `of` calls in all, so many at a time.
const together = async (of, call) => {
  let begun = 0;
  await Promise.all(Array.from({ length: UNDER_WAY }, async () => { while (begun < of) await call(begun++); }));
};

const verbs = {
  async register(first, count) {
    const template = { name: "report", data: { report: "daily" }, opts: { removeOnComplete: true } };
    const began = performance.now();
    await together(count, number =>
      queue.upsertJobScheduler(`r${first + number}`, { every: DAY_MS, startDate: Date.now() + DAY_MS }, template));
    return seconds(began);
  },
  async due(count) {
    const keys = [`bull:${NAME}:delayed`, `bull:${NAME}:active`];
    const found = await client.eval(FALL_DUE, 2, ...keys, `bull:${NAME}:`, count, Date.now());
    if (found !== count) throw new Error(`${found} of ${count} fell due`);
    return 0;
  },
  async run(count) {
    const worker = new Worker(NAME, async () => {}, { connection, concurrency: UNDER_WAY, autorun: false });
    await worker.waitUntilReady();
    let completed = 0;
    const all = new Promise(done => worker.on("completed", () => { if (++completed === count) done(); }));
    const began = performance.now();
    worker.run();
    await all;
    const took = seconds(began);
    await worker.close();
    return took;
  },
  async fetch(count) {
    const began = performance.now();
    await together(count, async () => {
      if (!await byHand.getNextJob("token", { block: false })) throw new Error("nothing was due");
    });
    return seconds(began);
  },
  async tick(count) {
    const began = performance.now();
    for (let number = 0; number < count; number++) await byHand.getNextJob("token", { block: false });
    return seconds(began);
  },
};

(async () => {
  await queue.waitUntilReady();
  await byHand.waitUntilReady();
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, ...numbers] = line.split(" ");
    console.log(await verbs[verb](...numbers.map(Number)));
  }
  process.exit(0);
})();
