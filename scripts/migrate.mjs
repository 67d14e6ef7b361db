// npm run migrate: brings the schema of the databases up to date, as the owner of the tables.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return runNode(['dist/src/migrate.js', ...process.argv.slice(2)]);
});
