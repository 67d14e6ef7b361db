import { type Approval, ServiceError } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { printJsonLine } from '../../output/json.js';
import { ALL_PAGES, PAGE, readPages } from '../../paging.js';
import { readApproval } from '../../read-resource.js';
import { inTurns } from '../../turns.js';
import { approvalLine, isHalfApproved } from './columns.js';

/** The watched approvals, as the service's parameters. */
export interface WatchFilter {
  readonly project_id: string | undefined;
  readonly agent_id: string | undefined;
  readonly risk: Approval['risk'] | undefined;
}

/** Pause between two looks. */
const TURN_MS = 2_000;

/**
 * Prints the approvals that wait, each new one, and what becomes of them, until the signal aborts. An outage of the
 * service is noted, and only questions that came and were decided meanwhile are missed.
 */
export async function watchApprovals(context: Context, filter: WatchFilter): Promise<void> {
  const watch = new ApprovalWatch(context, filter);
  await inTurns(context, TURN_MS, () => watch.look());
}

class ApprovalWatch {
  /** The waiting approvals, by their ids: true if the first of two people has approved. */
  private readonly waiting = new Map<string, boolean>();

  constructor(
    private readonly context: Context,
    private readonly filter: WatchFilter,
  ) {}

  async look(): Promise<void> {
    const service = this.context.service();
    const { items } = await readPages(ALL_PAGES, PAGE.resources, (page) =>
      service.GET('/approvals', { params: { query: { ...page, ...this.filter, state: 'pending' } } }),
    );
    const present = new Set(items.map(({ id }) => id));
    for (const id of this.waiting.keys()) if (!present.has(id)) await this.showEnd(id);
    for (const approval of items) {
      const isHalf = isHalfApproved(approval);
      if (this.waiting.get(approval.id) !== isHalf) this.show(approval);
      this.waiting.set(approval.id, isHalf);
    }
  }

  private async showEnd(id: string): Promise<void> {
    try {
      const ended = await readApproval(this.context, id);
      // a page may have been read before it, and the next one after it
      if (ended.state === 'pending') return;
      this.show(ended);
    } catch (error) {
      // it was removed with its agent, or is in a project of others now
      if (!(error instanceof ServiceError && error.status === 404)) throw error;
    }
    this.waiting.delete(id);
  }

  private show(approval: Approval): void {
    if (this.context.output === 'json') printJsonLine(this.context, approval);
    else this.context.terminal.print(approvalLine(approval, this.context));
  }
}
