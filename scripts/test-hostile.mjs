// npm run test:hostile: the tests with hostile requests, with twenty times as many as in `npm test`. A run can be
// repeated with its printed seed: HOSTILE_SEED=... npm run test:hostile.
process.env.HOSTILE_REQUESTS ??= '20000';
process.argv.push('test/hostile/');
await import('./test.mjs');
