// npm run conformance: runs the conformance kit against an agent.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return runNode(['packages/conformance/dist/main.js', ...process.argv.slice(2)]);
});
