// npm run demo: plays the whole story against a running service.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return runNode(['dist/demo/main.js', ...process.argv.slice(2)]);
});
