// npm run demo: plays a small company in a running service, or in one that it starts.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return runNode(['dist/demo/main.js', ...process.argv.slice(2)]);
});
