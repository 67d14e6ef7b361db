// npm run remove-factors -- EMAIL: the way back in for an operator who has lost the second factor.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return runNode(['dist/src/remove-factors.js', ...process.argv.slice(2)]);
});
