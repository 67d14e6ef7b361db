import { randomUUID } from 'node:crypto';
import { ServiceError, unwrap } from '@agent-control-plane/client';
import { requireRuns } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import type { EventListener } from '@agent-control-plane/client/runtime';
import type { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';
import type { components } from '@agent-control-plane/client/internal/generated/schema';

type Entry = components['schemas']['RunReportEntry'];

export interface RunReport extends Pick<Entry, 'status' | 'error' | 'ended_at'> {
  readonly run_id: string;
  readonly attempt: number;
  /** Any JSON value. */
  readonly output?: unknown;
}

/** Tells the service what became of runs, and repeats each report until the service has answered it. */
export class RunReports {
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly link: ServiceLink,
    private readonly onEvent: EventListener,
    private readonly signal: AbortSignal,
  ) {}

  /** @returns true when the service has answered; false if the runner has ended first */
  async send(report: RunReport): Promise<boolean> {
    const sending = this.sendUntilAnswered(report);
    const settled = sending.then(
      () => undefined,
      () => undefined,
    );
    this.underWay.add(settled);
    try {
      await sending;
      return true;
    } catch {
      return false;
    } finally {
      this.underWay.delete(settled);
    }
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async sendUntilAnswered(report: RunReport): Promise<void> {
    const refusal = await this.post(report);
    if (refusal === undefined) return;
    const { run_id, attempt, ended_at } = report;
    this.onEvent({
      level: 'warning',
      event: 'report_refused',
      message: `The service does not take the report on run ${run_id}: ${refusal}`,
    });
    if (report.status === 'queued') return;
    // its end counts more than its output
    const error = `The service does not take what it reported: ${refusal}`;
    await this.post({ run_id, attempt, status: 'failed', error, ended_at });
  }

  /** @returns the reason of a refusal @throws the signal's reason, or KeyRefusedError */
  private async post(report: RunReport): Promise<string | undefined> {
    // one for all tries of this report: a run that is given back twice has the same attempt both times
    const key = randomUUID();
    try {
      const reply = await this.link.retryTransient(async (service, signal) => {
        const params = { header: { 'Idempotency-Key': key } };
        const body = { runs: [report as Entry] };
        return requireRuns(await unwrap(service.POST('/agents/runs', { params, body, signal })));
      }, this.signal);
      return reply.refused?.[0]?.message;
    } catch (error) {
      if (error instanceof ServiceError) return error.detail;
      throw error;
    }
  }
}
