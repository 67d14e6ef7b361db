// npm run test:slow: the tests that start processes, browsers or thousands of requests; `npm test` runs them last.
process.argv.push('--selectProjects', 'slow');
await import('./test.mjs');
