// npm run test:hostile: the tests with hostile requests, twenty times as many as in `npm test`. Repeat a run with the seed
// that it printed: HOSTILE_SEED=... npm run test:hostile.
process.env.HOSTILE_REQUESTS ??= '20000';
process.argv.push('test/hostile/');
await import('./test.mjs');
