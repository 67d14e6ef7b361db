// npm run test:quick: the unit tests, and the tests of the service's API.
process.argv.push('--selectProjects', 'unit', 'api');
await import('./test.mjs');
