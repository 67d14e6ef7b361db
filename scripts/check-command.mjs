// Commands that check something, and whose exit code 1 means that something is wrong.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, Problem, runNode, say } from './project.mjs';

/** Exit code 1 is the check's own, so it can't be used here. */
const COULD_NOT_RUN = 2;

/** Runs such a command with this process's arguments. @param {string} program the built file */
export const runCheck = (program) =>
  main(async () => {
    try {
      await ensureInstalled();
      await ensureBuilt();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(error.message);
      return COULD_NOT_RUN;
    }
    return runNode([program, ...process.argv.slice(2)]);
  });
