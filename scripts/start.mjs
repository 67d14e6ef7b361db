// npm start: installs and builds what is missing, then runs the service until Ctrl-C.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const LOG_FORMAT = process.env.LOG_FORMAT || (process.stdout.isTTY ? 'pretty' : 'json');
  return runNode(['dist/src/main.js', ...process.argv.slice(2)], {
    env: { ...process.env, LOG_FORMAT },
    ipc: true,
  });
});
