// npm run bench:NAME: builds what is missing, then runs bench/NAME/main.ts.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  const [name, ...parameters] = process.argv.slice(2);
  await ensureInstalled();
  await ensureBuilt();
  // Pauses of the measuring process would count as the service's: with a large nursery there are fewer.
  return runNode(['--max-semi-space-size=64', `dist/bench/${name}/main.js`, ...parameters]);
});
