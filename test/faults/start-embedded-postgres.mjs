// Runs the embedded PostgreSQL in a process of its own, for the tests that kill that process:
//   node start-embedded-postgres.mjs DATA_DIR
// Prints one line of JSON when it is up or has failed; a line on standard input stops it.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// Node runs TypeScript by itself, but takes the ".js" of an import at its word
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('.') && context.parentURL?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
      if (existsSync(fileURLToPath(source))) return next(source.href, context);
    }
    return next(specifier, context);
  },
});

const { startEmbeddedPostgres } = await import('../../src/database/embedded/embedded-postgres.ts');

const report = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const [dataDir] = process.argv.slice(2);
try {
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: (message) => process.stderr.write(`${message}\n`),
    parameters: { fsync: 'off' },
  });
  report({ connection: postgres.connection });
  createInterface({ input: process.stdin }).once('line', async () => {
    // nothing else keeps this process alive while it waits
    process.stdin.destroy();
    await postgres.stop();
    report({ stopped: true });
  });
} catch (error) {
  report({ name: error.constructor.name, error: error.message });
}
