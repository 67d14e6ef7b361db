import type { Rule } from '../checks/check.js';
import type { Route } from '../evidence.js';
import type { Stage } from '../stage.js';

/** The longest pause after failures that the protocol allows; milliseconds. */
export const LONGEST_PAUSE_MS = 30_000;

/**
 * Waits until the planned faults of a route have happened, and a later call was answered.
 *
 * @param pauseMs the longest pause that the agent may have begun; milliseconds
 */
export async function callIsAnswered(
  stage: Stage,
  rule: Rule,
  route: Route,
  after: string,
  pauseMs = 0,
): Promise<void> {
  if (route === 'poll') stage.service.endPolls();
  const isAnswered = () => {
    if (stage.service.faults.isPending(route)) return false;
    const calls = stage.calls(route);
    const failed = calls.findLastIndex(
      ({ status, trouble }) => trouble !== null || (status !== null && status !== 200),
    );
    // a waiting poll counts as accepted
    return failed >= 0 && calls.length > failed + 1;
  };
  const breach = `After ${after} it never made another ${route} call`;
  await stage.must(rule, breach, isAnswered, stage.patienceMs + pauseMs);
}
