// Runs the embedded PostgreSQL in a separate process, for the tests that kill that process:
// node start-embedded-postgres.mjs DATA_DIR
// Prints one line of JSON when it has started or failed; then it waits for the end of standard input.
import { startEmbeddedPostgres } from '../../dist/src/embedded-postgres/embedded-postgres.js';

const report = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const [dataDir] = process.argv.slice(2);
try {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: (message) => process.stderr.write(`${message}\n`),
    parameters: { fsync: 'off' },
  });
  report({ connection: postgres.connection });
  process.stdin.resume();
} catch (error) {
  report({ error: error.message });
}
