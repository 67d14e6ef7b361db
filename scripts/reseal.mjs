// npm run reseal: encrypts the secrets in the database under WEBHOOK_SECRET_KEY.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return runNode(['dist/src/reseal.js', ...process.argv.slice(2)]);
});
