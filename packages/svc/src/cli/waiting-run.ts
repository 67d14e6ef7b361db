import { backoffMs } from '@agent-control-plane/client/internal/backoff';
import { pause } from '@agent-control-plane/client/internal/pause';
import type { Run } from '@agent-control-plane/client';
import type { CommandOption } from './command-declaration.js';
import type { CommandInput } from './command.js';
import type { Context } from './context.js';
import { CommandFailedError } from './failures.js';
import { seconds } from './option-values.js';
import { printableLine } from './output/printable.js';
import { duration } from './output/relative-time.js';
import { isOpenRun, runState } from './output/run-state.js';
import { passingPauseMs } from './passing-failure.js';
import { readRun } from './read-resource.js';
import { RunWatch } from './run-watch.js';
import type { Progress } from './terminal.js';

/** How to wait for the end of a run. Undefined: not at all. */
export interface RunWait {
  /** Maximum number of seconds; Infinity: any time. */
  readonly limitSeconds: number;
  /** True: the history, the log and the progress of the run are noted meanwhile. */
  readonly follows: boolean;
}

/** Seconds of the first request that waits: a run that has not begun by then is explained. */
const FIRST_TURN_SECONDS = 2;
/** Seconds of each later one: less than the time after which the client counts a request as failed. */
const TURN_SECONDS = 20;
/** Minimum time between two requests: the service answers at once when it stops, or when the caller waits for too many runs. */
const SHORTEST_TURN_MS = 1_000;
/** Ceiling of the pause after failures. */
const LONGEST_PAUSE_MS = 10_000;

export const runWaitOption: CommandOption = {
  flags: '-w, --wait [time]',
  description: 'wait for its end, for at most 90s, 5m, 1h (default: no limit), and print only its output',
  parse: seconds,
};

export const runFollowOption: CommandOption = {
  flags: '-f, --follow',
  description: 'as --wait, and show its history, log and progress on standard error',
};

/** Description of `--wait`, for the help of each command that has it. */
export const RUN_WAIT_DETAILS =
  '--wait prints only the output: text as it is, anything else as JSON. It exits with 5 if the run does not succeed, ' +
  'and with 1 if it has not ended in time. Ctrl-C ends only the wait.';

/** @param follows `--follow`, which implies `--wait` */
export function readRunWait(input: CommandInput, follows = false): RunWait | undefined {
  const given = input.value<number | true>('wait') ?? (follows || undefined);
  if (given === undefined) return undefined;
  return { limitSeconds: given === true ? Number.POSITIVE_INFINITY : given, follows };
}

/**
 * Waits for the end of a run, through outages of the service. Why it waits is noted meanwhile.
 *
 * @param asked the run as the service has just answered it
 * @throws CommandFailedError if it has not ended in time
 */
export async function waitForEnd(
  context: Context,
  asked: Run,
  { limitSeconds, follows }: RunWait,
): Promise<Run> {
  const progress = context.terminal.showProgress(shownState(asked));
  const watch = follows ? new RunWatch(context, asked.id, progress) : undefined;
  let hasEnded = false;
  try {
    const ended = await new EndWait(context, progress, asked).run(limitSeconds);
    hasEnded = true;
    return ended;
  } catch (error) {
    if (context.signal.aborted) progress.note(goesOn(asked.id));
    throw error;
  } finally {
    await watch?.end(hasEnded);
    progress.end();
  }
}

class EndWait {
  private notedReason: string | null = null;
  private failures = 0;

  constructor(
    private readonly context: Context,
    private readonly progress: Progress,
    private last: Run,
  ) {}

  async run(limitSeconds: number): Promise<Run> {
    const end = performance.now() + limitSeconds * 1_000;
    for (let turn = FIRST_TURN_SECONDS; isOpenRun(this.last); turn = TURN_SECONDS) {
      this.context.signal.throwIfAborted();
      const left = end - performance.now();
      if (left <= 0) throw lateFor(this.last, limitSeconds);
      const begun = performance.now();
      const pauseMs = await this.look(Math.min(turn, Math.ceil(left / 1_000)));
      const rest = Math.max(pauseMs, SHORTEST_TURN_MS - (performance.now() - begun));
      if (isOpenRun(this.last)) await pause(Math.min(rest, end - performance.now()), this.context.signal);
    }
    return this.last;
  }

  /** @returns the pause before the next request; milliseconds */
  private async look(turnSeconds: number): Promise<number> {
    const { signal, terminal } = this.context;
    try {
      this.last = await readRun(this.context, this.last.id, turnSeconds);
    } catch (error) {
      signal.throwIfAborted();
      const wantedMs = passingPauseMs(error);
      if (this.failures === 0)
        this.progress.note(
          terminal.noteColors.yellow(
            `Connection lost, trying again: ${printableLine((error as Error).message)}`,
          ),
        );
      this.failures += 1;
      return backoffMs(this.failures, SHORTEST_TURN_MS, LONGEST_PAUSE_MS, wantedMs);
    }
    if (this.failures > 0) this.progress.note(terminal.noteColors.yellow('Connected again'));
    this.failures = 0;
    this.show();
    return 0;
  }

  private show(): void {
    this.progress.update(shownState(this.last));
    const reason = isOpenRun(this.last) ? this.last.waiting_reason : null;
    if (reason !== null && reason !== this.notedReason) this.progress.note(shownState(this.last));
    this.notedReason = reason;
  }
}

function shownState(run: Run): string {
  return `The run is ${printableLine(runState(run))}`;
}

function goesOn(id: string): string {
  return `The run goes on: "svc runs get ${id} --wait" waits for it again, "svc runs cancel ${id}" cancels it`;
}

function lateFor(run: Run, limitSeconds: number): CommandFailedError {
  return new CommandFailedError(
    `Not ended within ${duration(limitSeconds)}: the run is ${runState(run)}. ${goesOn(run.id)}`,
  );
}
