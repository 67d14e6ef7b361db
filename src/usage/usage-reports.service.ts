import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { PresenceService } from '../agents/presence.service.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Transaction } from '../database/transaction.js';
import type { BrokenRule } from '../errors/domain-error.js';
import { IdempotentRequests, type Standing } from '../http/idempotency/idempotent-requests.js';
import type { KeyedRequest } from '../http/idempotency/keyed-request.js';
import { TracedRunsService } from '../runs/traced-runs.service.js';
import { UsageCountingService } from './usage-counting.service.js';
import type { UsageEntry } from './usage.types.js';

/** Maximum number of requests in one transaction. */
const REPORTS_IN_A_GROUP = 64;
/** Number of groups under way: one is built while another waits for the disk. */
const GROUPS_AT_ONCE = 2;
/** Nobody is in a hurry for the reply; milliseconds. */
const PACE_MS = 50;
/** Length of an entry, in characters. */
const LENGTH_OF_AN_ENTRY = 300;
/** An entry from further in the future has the time of its receipt; milliseconds. */
const MAXIMUM_AHEAD_MS = 300_000;

/** An entry as the agent reports it. Ownership of its run is not verified yet. */
export type ReportedUsage = Omit<UsageEntry, 'projectId' | 'agentId' | 'configVersion' | 'at' | 'since'> & {
  /** Null: now. */
  readonly at: Date | null;
};

/** The outcome of a report. */
export interface UsageReceipt {
  readonly accepted: number;
  /** The counted entries: the others report models whose usage is known from spans or metrics. */
  readonly counted: number;
  /** The entries that are counted as `other`, because the agent has too many models. */
  readonly countedAsOther: number;
}

interface Report {
  readonly entries: readonly UsageEntry[];
  readonly request: KeyedRequest | undefined;
}

/** Null: another request of the group has the same key. */
type Outcome = Standing<UsageReceipt> | { readonly kind: 'done'; readonly reply: UsageReceipt } | null;

/** Counts what agents report themselves. Concurrent requests share a transaction, with the records of their keys. */
@Injectable()
export class UsageReportsService {
  private readonly groups: GroupCommit<Report, Outcome>;

  constructor(
    private readonly database: Database,
    private readonly usage: UsageCountingService,
    private readonly runs: TracedRunsService,
    private readonly requests: IdempotentRequests,
    private readonly presence: PresenceService,
  ) {
    this.groups = new GroupCommit('usage', (reports) => this.carryOut(reports), {
      items: REPORTS_IN_A_GROUP,
      weightOf: ({ entries }) => entries.length * LENGTH_OF_AN_ENTRY,
      concurrency: GROUPS_AT_ONCE,
      paceMs: PACE_MS,
    });
  }

  /**
   * Committed when it resolves. Entries that name a run of another agent are left out.
   *
   * @throws ConflictError, InvalidError as `IdempotentRequests.run`
   */
  async receive(
    agent: AgentPrincipal,
    reported: readonly ReportedUsage[],
    request: KeyedRequest | undefined,
  ): Promise<{ readonly receipt: UsageReceipt; readonly refused: readonly BrokenRule[] }> {
    this.presence.markSeen(agent.agentId);
    const { entries, refused } = await this.place(agent, reported);
    const report = { entries, request };
    if (entries.length === 0 && !request)
      return { receipt: { accepted: 0, counted: 0, countedAsOther: 0 }, refused };
    let outcome: Outcome = null;
    while (outcome === null) outcome = await this.groups.submit(report);
    if (outcome.kind === 'refused') throw outcome.error;
    if (outcome.kind === 'first') throw new Error('A usage report was started but not carried out');
    if (outcome.kind === 'repeated') request?.markReplayed();
    return { receipt: outcome.reply, refused };
  }

  private async place(agent: AgentPrincipal, reported: readonly ReportedUsage[]) {
    const { agentId, projectId } = agent;
    const runIds = [...new Set(reported.flatMap(({ runId }) => runId ?? []))];
    const runs = runIds.length > 0 ? (await this.runs.runsOf(agent, runIds, [])).byId : null;
    const refused: BrokenRule[] = [];
    const now = new Date();
    const entries: UsageEntry[] = [];
    for (const { at: told, ...entry } of reported) {
      const run = entry.runId === null ? null : runs?.get(entry.runId);
      if (run === undefined) {
        const message = `run_id must be a run of this agent: ${entry.runId}`;
        refused.push({ field: 'usage', code: 'invalid_value', message });
        continue;
      }
      const at = told && told.getTime() <= now.getTime() + MAXIMUM_AHEAD_MS ? told : now;
      entries.push({
        ...entry,
        projectId,
        agentId,
        configVersion: run?.configVersion ?? null,
        at,
        since: null,
      });
    }
    return { entries, refused };
  }

  /** Records a group. A second request with the same key is left out: its caller tries again, and finds the first. */
  private carryOut(reports: readonly Report[]): Promise<Outcome[]> {
    const keys = new Set<string>();
    const taken = reports.filter(({ request }) => {
      const name = request?.keyHash.toString('base64');
      if (name === undefined) return true;
      if (keys.has(name)) return false;
      keys.add(name);
      return true;
    });
    return this.database.runtimes.transaction(async (tx) => {
      const outcomes = await this.recordAll(tx, taken);
      return reports.map((report) => outcomes.get(report) ?? null);
    });
  }

  private async recordAll(
    tx: Transaction,
    reports: readonly Report[],
  ): Promise<ReadonlyMap<Report, NonNullable<Outcome>>> {
    const keyed = reports.filter(({ request }) => request !== undefined);
    const standings = await this.requests.begin<UsageReceipt>(
      tx,
      keyed.map(({ request }) => request!),
    );
    const outcomes = new Map<Report, NonNullable<Outcome>>(
      keyed.map((report, index) => [report, standings[index]!]),
    );
    const due = reports.filter((report) => (outcomes.get(report)?.kind ?? 'first') === 'first');
    const counted = await this.usage.count(
      tx,
      'reports',
      due.flatMap(({ entries }) => entries),
    );
    for (const report of due) {
      const { entries } = report;
      const own = entries.filter((each) => counted.has(each));
      const others = own.filter((each) => counted.get(each) !== each.model);
      const reply = { accepted: entries.length, counted: own.length, countedAsOther: others.length };
      outcomes.set(report, { kind: 'done', reply });
    }
    await this.requests.keep(
      tx,
      due.flatMap((report) => {
        const outcome = outcomes.get(report)!;
        return report.request && outcome.kind === 'done'
          ? [{ request: report.request, reply: outcome.reply }]
          : [];
      }),
    );
    return outcomes;
  }
}
