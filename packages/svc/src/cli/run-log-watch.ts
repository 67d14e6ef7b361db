import { follow, type LogRecord, type Run } from '@agent-control-plane/client';
import type { Context } from './context.js';
import { streamPosition } from './following.js';
import { logLine } from './output/log-line.js';
import { PAGE } from './paging.js';
import type { Progress } from './terminal.js';

const STREAM = '/agents/{agent_id}/logs/stream';
/** Number of lines by which one is recognised that comes twice: those of one page. */
const MOST_REMEMBERED = PAGE.records;

/** Notes what an agent logs for a run, each line once. The result of the run is not part of it, so it may fail. */
export class RunLogWatch {
  private readonly over = new AbortController();
  private readonly shown = new Set<string>();
  private readonly following: Promise<void>;

  constructor(
    private readonly context: Context,
    private readonly run: Pick<Run, 'id' | 'agent_id'>,
    private readonly progress: Progress,
  ) {
    this.following = this.follow().catch(() => undefined);
  }

  /** Ends it. @param isComplete true: the lines that have not come by the stream are shown before */
  async end(isComplete: boolean): Promise<void> {
    this.over.abort();
    await this.following;
    if (isComplete) await this.showNewest().catch(() => undefined);
  }

  private async follow(): Promise<void> {
    const signal = AbortSignal.any([this.over.signal, this.context.signal]);
    const service = this.context.service();
    const path = { agent_id: this.run.agent_id };
    const lastEventId = await streamPosition(service, STREAM, { path, signal });
    await this.showNewest();
    for await (const { data } of follow(service, STREAM, { path, lastEventId, signal })) {
      // the stream has no filter for runs
      if (data.run_id === this.run.id) this.show(data);
    }
  }

  private async showNewest(): Promise<void> {
    const params = { path: { run_id: this.run.id }, query: { limit: MOST_REMEMBERED } };
    const { data = [] } = await this.context.service().GET('/runs/{run_id}/logs', { params });
    for (const record of data.toReversed()) this.show(record);
  }

  private show(record: LogRecord): void {
    if (this.shown.has(record.id)) return;
    this.shown.add(record.id);
    if (this.shown.size > MOST_REMEMBERED) this.shown.delete(this.shown.values().next().value!);
    this.progress.note(logLine(record, this.context.terminal.noteColors));
  }
}
