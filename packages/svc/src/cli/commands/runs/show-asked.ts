import type { Run } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { UnsuccessfulRunError } from '../../failures.js';
import { jsonOrText } from '../../output/json-or-text.js';
import { type RunStatus } from '../../output/run-state.js';
import { readRun } from '../../read-resource.js';
import { type RunWait, waitForEnd } from '../../waiting-run.js';
import { printRun } from './columns.js';

const ENDS: Partial<Record<RunStatus, string>> = {
  failed: 'has failed',
  cancelled: 'was cancelled',
  timed_out: 'has timed out',
  abandoned: 'was abandoned',
};

/** Prints a run that was just made, or with `--wait` its output once it has ended. @throws UnsuccessfulRunError */
export async function showAsked(context: Context, asked: Run, wait: RunWait | undefined): Promise<void> {
  if (wait !== undefined) return showEnd(context, await waitForEnd(context, asked, wait));
  // only this reply says why a queued one waits
  printRun(context, context.output === 'json' ? asked : await readRun(context, asked.id));
}

/** Prints the output alone. JSON is for programs, which get the whole run, however it has ended. @throws UnsuccessfulRunError */
export async function showEnd(context: Context, run: Run): Promise<void> {
  const { id, status, error, output } = run;
  if (context.output === 'json') {
    printRun(context, run);
    await context.view.jq?.printed();
  }
  if (status !== 'succeeded')
    throw new UnsuccessfulRunError(
      `The run ${ENDS[status] ?? `is ${status}`}${error === null ? '' : `: ${error}`}; ` +
        `see "svc runs get ${id}", or ask again with "svc runs retry ${id}"`,
    );
  if (context.output === 'json') return;
  if (output === null) context.terminal.note('The run has succeeded, without an output');
  else context.terminal.print(jsonOrText(output));
}
