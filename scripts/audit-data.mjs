// npm run audit:data: whether the data of a service is as it must be.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return runNode(['dist/src/audit/main.js', ...process.argv.slice(2)]);
});
