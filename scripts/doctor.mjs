// npm run doctor: checks an installation with the service's settings.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, Problem, runNode, say } from './project.mjs';

/** Exit code 1 means a failed check, so it can't be used here. */
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
  return runNode(['dist/src/doctor.js', ...process.argv.slice(2)]);
});
