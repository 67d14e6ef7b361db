// npm run bench:NAME: builds what is missing, then runs bench/NAME/main.ts.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  const [name, ...parameters] = process.argv.slice(2);
  await ensureInstalled();
  await ensureBuilt();
  return runNode([`dist/bench/${name}/main.js`, ...parameters]);
});
