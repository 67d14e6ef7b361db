// npm run bench:NAME: builds outdated parts, then runs bench/NAME/main.ts.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { installPeers } from './install-peers.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  const [name, ...parameters] = process.argv.slice(2);
  await ensureInstalled();
  await ensureBuilt();
  if (parameters.includes('--peers')) await installPeers();
  // Pauses of the measuring process would count as the service's. A large nursery makes them rarer; and the whole heap
  // is first collected at 4 GiB, which no run reaches.
  const flags = ['--max-semi-space-size=64', '--initial-old-space-size=4096', '--max-old-space-size=8192'];
  return runNode([...flags, `dist/bench/${name}/main.js`, ...parameters]);
});
