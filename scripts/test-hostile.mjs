// npm run test:hostile: the tests that mean harm, with twenty times as many generated requests as in `npm test`. A run is
// repeated with the seed that it has printed: HOSTILE_SEED=... npm run test:hostile.
process.env.HOSTILE_REQUESTS ??= '20000';
process.argv.push('test/hostile/');
await import('./test.mjs');
