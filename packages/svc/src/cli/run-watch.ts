import { type components, follow } from '@agent-control-plane/client';
import { pause } from '@agent-control-plane/client/internal/pause';
import type { Context } from './context.js';
import { logLine } from './output/log-line.js';
import { runEventLine } from './output/run-event-line.js';
import { printableLine } from './output/printable.js';
import { progressText } from './output/run-state.js';
import type { Progress } from './terminal.js';

/** Maximum time for the rest of the stream of a run that has ended: the service ends it two seconds later; milliseconds. */
const REST_MS = 5_000;

/** Notes the history, the log and the progress of a run. The result of the run is not part of it, so it may fail. */
export class RunWatch {
  private readonly over = new AbortController();
  private readonly following: Promise<void>;

  constructor(
    private readonly context: Context,
    private readonly runId: string,
    private readonly progress: Progress,
  ) {
    this.following = this.follow().catch(() => undefined);
  }

  /** Ends it. @param hasEnded true: the run has ended, and the rest of its stream is noted before */
  async end(hasEnded: boolean): Promise<void> {
    const signal = AbortSignal.any([this.over.signal, this.context.signal]);
    if (hasEnded) await Promise.race([this.following, pause(REST_MS, signal)]);
    this.over.abort();
    await this.following;
  }

  private async follow(): Promise<void> {
    const signal = AbortSignal.any([this.over.signal, this.context.signal]);
    const options = { path: { run_id: this.runId }, signal };
    for await (const { data } of follow(this.context.service(), '/runs/{run_id}/stream', options)) {
      const line = lineOf(data, this.context);
      if (line !== undefined) this.progress.note(line);
    }
  }
}

function lineOf(
  { event, log, progress }: components['schemas']['RunStreamItem'],
  { terminal: { noteColors } }: Context,
): string | undefined {
  if (event) return runEventLine(event, noteColors);
  if (log) return logLine(log, noteColors);
  const text = progressText({ progress: progress ?? null });
  return text === null ? undefined : noteColors.dim(`progress: ${printableLine(text)}`);
}
