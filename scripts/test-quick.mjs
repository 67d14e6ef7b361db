// npm run test:quick: the unit tests, and those that only call the service's API.
process.argv.push('--selectProjects', 'unit', 'api');
await import('./test.mjs');
