import { randomUUID } from 'node:crypto';
import type { components } from '../generated/schema.js';
import { unwrap } from '../service-client.js';
import { ServiceError } from '../service-errors.js';
import { wellFormedJson } from '../well-formed-json.js';
import type { CallGate } from './call-gate.js';
import { messageOf, requireRuns } from './runtime-errors.js';
import type { EventListener } from './runtime-events.js';
import type { RunReport } from './run-report.js';
import type { RuntimeState } from './runtime-state.js';
import type { ServiceLink } from './service-link.js';

type Replies = components['schemas']['ReportedRunsResponse'];
export type RunReply = Replies['runs'][number];

/** Maximum size of a batch: the service takes 500 entries, and a body of a MiB. */
const BATCH = { entries: 500, bytes: 512 * 1024 };
/** Time in which reports are collected for one request. */
const GATHERING_MS = 50;

const ENDS: readonly RunReport['status'][] = ['succeeded', 'failed', 'cancelled'];
const REFUSAL = 'The service refuses the report of its end';

/** The fields that name the subject of a report. */
export type Reported = Pick<RunReport, 'run_id' | 'run_key' | 'attempt'>;

/** The name of an attempt here: by the run's id, or the agent's own word. */
function nameOf({ run_id: id, run_key: key, attempt }: Reported): string {
  return id === undefined ? `key:${key}` : `${id}.${attempt}`;
}

/**
 * Sends what there is to say of runs, in batches, each until the service has answered it. What an attempt has said last is
 * all that waits of it; its end is on the disk before it is sent.
 */
export class RunReports {
  private readonly waiting = new Map<string, RunReport>();
  private underWay: readonly RunReport[] = [];
  /** Number of ends that are written to the disk. */
  private keeping = 0;
  private wake: () => void = () => undefined;
  private settling: (() => void)[] = [];

  constructor(
    private readonly link: ServiceLink,
    private readonly state: RuntimeState,
    private readonly gate: CallGate,
    private readonly onEvent: EventListener,
    private readonly onReply: (reply: RunReply) => void,
  ) {
    for (const end of state.unreportedEnds()) this.waiting.set(nameOf(end), end);
  }

  /** Reports the progress of a run, in place of earlier reports that were not sent yet. */
  tell(report: RunReport): void {
    const name = nameOf(report);
    this.waiting.set(name, { ...this.waiting.get(name), ...report });
    this.wake();
  }

  /** Says how a run has ended, or gives it back. Resolves when that is on the disk, as far as the disk allows. */
  async end(report: RunReport): Promise<void> {
    const dropped = this.state.keepEnd(nameOf(report), report);
    if (dropped) this.warn(`The end of a run is given up, because too many wait: ${dropped}`);
    this.keeping += 1;
    await this.save();
    this.keeping -= 1;
    this.tell(report);
  }

  /** Ids of the runs whose end the service does not know yet. */
  unreported(): string[] {
    return this.state.unreportedEnds().flatMap(({ run_id: id }) => id ?? []);
  }

  /** Resolves when nothing waits. */
  async flushed(): Promise<void> {
    while (this.keeping + this.waiting.size + this.underWay.length > 0)
      await new Promise<void>((resolve) => this.settling.push(resolve));
  }

  /** Sends until the signal aborts. @throws KeyRefusedError, or the signal's reason */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.untilWoken(signal);
      await this.link.pause(GATHERING_MS, signal);
      for (;;) {
        signal.throwIfAborted();
        // after a refused key pauses end at once, and this would be a tight loop
        this.link.refused.throwIfAborted();
        if (this.waiting.size === 0) break;
        await this.gate.beside(() => this.send(this.nextBatch(), signal));
      }
      this.underWay = [];
      for (const resolve of this.settling.splice(0)) resolve();
    }
  }

  private async untilWoken(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const end = () => woken.abort();
    this.wake = end;
    signal.addEventListener('abort', end);
    if (this.waiting.size === 0) await this.link.pause(2 ** 31 - 1, woken.signal);
    signal.removeEventListener('abort', end);
  }

  private nextBatch(): RunReport[] {
    let bytes = 0;
    const batch: RunReport[] = [];
    for (const [name, report] of this.waiting) {
      bytes += Buffer.byteLength(wellFormedJson(report));
      if (batch.length > 0 && (bytes > BATCH.bytes || batch.length >= BATCH.entries)) break;
      batch.push(report);
      this.waiting.delete(name);
    }
    this.underWay = batch;
    return batch;
  }

  private async send(batch: readonly RunReport[], signal: AbortSignal): Promise<void> {
    try {
      await this.sendAll(batch, signal);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.status === 404 || error.status === 405) this.forget(batch, error.detail);
      else if (batch.length > 1) for (const report of batch) await this.send([report], signal);
      else await this.giveUp(batch[0]!, error.detail, signal);
    }
  }

  private async sendAll(batch: readonly RunReport[], signal: AbortSignal): Promise<void> {
    // one text and one key for all attempts: the service takes the batch once
    const text = wellFormedJson({ runs: batch });
    const call = {
      body: { runs: [...batch] },
      bodySerializer: () => text,
      params: { header: { 'Idempotency-Key': randomUUID() } },
    };
    const reply = await this.link.retryTransient(async (service, ended) => {
      return requireRuns(await unwrap(service.POST('/agents/runs', { ...call, signal: ended })));
    }, signal);
    const reasons = reasonsOf(reply.refused);
    for (const [index, report] of batch.entries())
      if (!reasons.has(index)) this.state.dropEnd(nameOf(report), report);
    for (const each of reply.runs) this.onReply(each);
    for (const [index, reason] of reasons) await this.giveUp(batch[index]!, reason, signal);
    await this.save();
  }

  /** An end without its output counts more than none: the run would be abandoned, and nobody would know why. */
  private async giveUp(report: RunReport, reason: string, signal: AbortSignal): Promise<void> {
    const { run_id, run_key, attempt, status } = report;
    this.warn(`The service refuses the report of a run (${nameOf(report)}): ${reason}`);
    this.state.dropEnd(nameOf(report), report);
    if (!ENDS.includes(status) || report.error?.startsWith(REFUSAL)) return;
    const error = `${REFUSAL}: ${reason}`;
    const end: RunReport = { run_id, run_key, attempt, status: 'failed', error };
    this.state.keepEnd(nameOf(end), end);
    await this.send([end], signal);
  }

  /** The service is older than runs, or the agent is gone. */
  private forget(batch: readonly RunReport[], reason: string): void {
    this.warn(`The service takes no reports of runs: ${reason}`);
    for (const report of batch) this.state.dropEnd(nameOf(report), report);
  }

  private async save(): Promise<void> {
    await this.state
      .save()
      .catch((error: unknown) =>
        this.onEvent({ level: 'warning', event: 'not_kept', message: messageOf(error) }),
      );
  }

  private warn(message: string): void {
    this.onEvent({ level: 'warning', event: 'report_refused', message });
  }
}

/** The broken rules of a batch, by the index of the report. */
function reasonsOf(refused: Replies['refused']): Map<number, string> {
  const reasons = new Map<number, string>();
  for (const { field, message } of refused ?? []) {
    const [, index] = /^runs\.(\d+)/.exec(field ?? '') ?? [];
    if (index !== undefined) reasons.set(Number(index), message);
  }
  return reasons;
}
