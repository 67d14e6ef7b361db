// npm run audit:data: whether the data of a service is as it must be.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, Problem, runNode, say } from './project.mjs';

/** 1 would say that the data is not as it must be. */
const COULD_NOT_RUN = 2;

await main(async () => {
  try {
    await ensureInstalled();
    await ensureBuilt();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    say(error.message);
    return COULD_NOT_RUN;
  }
  return runNode(['dist/src/audit/main.js', ...process.argv.slice(2)]);
});
