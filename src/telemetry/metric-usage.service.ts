import { Injectable } from '@nestjs/common';
import type { AgentPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import type { Transaction } from '../database/transaction.js';
import { DeploymentsOfAgentsService } from '../deployments/deployments-of-agents.service.js';
import { TracedRunsService } from '../runs/traced-runs.service.js';
import { UsageCountingService } from '../usage/usage-counting.service.js';
import type { UsageEntry } from '../usage/usage.types.js';
import { type UsagePoint, UsageSums } from './otlp/token-metrics.js';
import { amountOf, incrementOf } from './series-increments.js';
import { type KnownSeries, type SeriesKey, UsageSeriesRepository } from './usage-series.repository.js';

/** Maximum number of exports in one transaction. */
const EXPORTS_IN_A_GROUP = 64;
/** Nobody is in a hurry for the reply; milliseconds. */
const PACE_MS = 50;
/** Length of a point, in characters. */
const LENGTH_OF_A_POINT = 200;

interface PlacedPoint {
  readonly projectId: string;
  readonly agentId: string;
  readonly configVersion: number | null;
  readonly point: UsagePoint;
}

/** Increments of one model, that are counted as one entry. */
interface Sum {
  readonly of: PlacedPoint;
  readonly sums: UsageSums;
  at: Date;
  /** The beginning of the earliest of them. */
  since: Date;
  hasCost: boolean;
}

/**
 * Counts the usage in metrics. How far each series has been counted is stored in the same transaction, so an export
 * that is sent again counts once, by whichever instance.
 */
@Injectable()
export class MetricUsageService {
  private readonly groups: GroupCommit<readonly PlacedPoint[], null>;

  constructor(
    database: Database,
    private readonly series: UsageSeriesRepository,
    private readonly usage: UsageCountingService,
    private readonly runs: TracedRunsService,
    private readonly deployments: DeploymentsOfAgentsService,
  ) {
    this.groups = new GroupCommit(
      'metric usage',
      (exports) => database.runtimes.transaction((tx) => this.countAll(tx, exports)),
      {
        items: EXPORTS_IN_A_GROUP,
        weightOf: (points) => points.length * LENGTH_OF_A_POINT,
        paceMs: PACE_MS,
      },
    );
  }

  /** Resolves after the commit. Points that name a run or a deployment of another agent are left out. */
  async count(agent: AgentPrincipal, points: readonly UsagePoint[]): Promise<void> {
    if (points.length === 0) return;
    const placed = await this.place(agent, points);
    if (placed.length > 0) await this.groups.submit(placed);
  }

  private async place(agent: AgentPrincipal, points: readonly UsagePoint[]): Promise<PlacedPoint[]> {
    const { agentId, projectId } = agent;
    const runIds = [...new Set(points.flatMap(({ runId }) => runId ?? []))];
    const deploymentIds = [...new Set(points.flatMap(({ deploymentId }) => deploymentId ?? []))];
    const runs = runIds.length > 0 ? (await this.runs.runsOf(agent, runIds, [])).byId : null;
    const deployments = new Map(
      deploymentIds.length > 0
        ? (await this.deployments.mentioned(agentId, deploymentIds)).map((each) => [each.id, each])
        : [],
    );
    return points.flatMap((point): PlacedPoint[] => {
      const run = point.runId === null ? null : runs?.get(point.runId);
      const deployment = point.deploymentId === null ? null : deployments.get(point.deploymentId);
      if (run === undefined || deployment === undefined) return [];
      const configVersion = run?.configVersion ?? deployment?.configVersion ?? null;
      return [{ projectId, agentId, configVersion, point }];
    });
  }

  private async countAll(tx: Transaction, exports: readonly (readonly PlacedPoint[])[]): Promise<null[]> {
    const points = exports
      .flat()
      .sort((one, other) => one.point.timestamp.getTime() - other.point.timestamp.getTime());
    const keys = new Map(points.map((each) => [nameOf(keyOf(each)), keyOf(each)]));
    const known = new Map<string, KnownSeries>();
    for (const series of await this.series.lock(tx, [...keys.values()])) known.set(nameOf(series), series);
    const sums = new Map<string, Sum>();
    const now = Date.now();
    for (const placed of points) {
      const name = nameOf(keyOf(placed));
      const series = known.get(name);
      const amount = amountOf(placed.point);
      if (!series || amount === null) continue;
      const change = incrementOf(series, placed.point, amount, now);
      if (!change) continue;
      known.set(name, { ...series, ...change.state });
      if (change.increment > 0) add(sums, placed, change.increment, beginningOf(placed.point, series));
    }
    const changed = [...known.values()].filter(({ lastPointAt }) => lastPointAt !== null);
    await this.series.update(tx, changed);
    await this.usage.count(tx, 'metrics', [...sums.values()].map(entryOf));
    return exports.map(() => null);
  }
}

function keyOf({ agentId, point }: PlacedPoint): SeriesKey {
  return { agentId, series: point.series, startedAt: point.isDelta ? 0 : (point.startTime?.getTime() ?? 0) };
}

function nameOf({ agentId, series, startedAt }: SeriesKey): string {
  return `${agentId} ${series} ${startedAt}`;
}

/** The beginning of the time in which a point's increment was used. */
function beginningOf({ startTime, timestamp }: UsagePoint, { lastPointAt }: KnownSeries): Date {
  const known = Math.max(startTime?.getTime() ?? -Infinity, lastPointAt ?? -Infinity);
  return known === -Infinity ? timestamp : new Date(known);
}

/** Points of one export have one time, or nearly so: the latest stands for all. */
function add(sums: Map<string, Sum>, placed: PlacedPoint, increment: number, since: Date): void {
  const { agentId, configVersion, point } = placed;
  const name = JSON.stringify([agentId, configVersion, point.runId, point.model, point.provider]);
  let sum = sums.get(name);
  if (!sum)
    sums.set(name, (sum = { of: placed, sums: new UsageSums(), at: point.timestamp, since, hasCost: false }));
  sum.sums.add(point, increment);
  sum.at = point.timestamp;
  if (since < sum.since) sum.since = since;
  sum.hasCost ||= point.bucket === 'costUsd';
}

function entryOf({ of, sums, at, since, hasCost }: Sum): UsageEntry {
  const { projectId, agentId, configVersion, point } = of;
  return {
    projectId,
    agentId,
    configVersion,
    runId: point.runId,
    model: point.model,
    provider: point.provider,
    at,
    since,
    tokens: {
      input_tokens: sums.of('inputTokens'),
      cache_read_tokens: sums.of('cacheReadTokens'),
      cache_write_tokens: sums.of('cacheWriteTokens'),
      output_tokens: sums.of('outputTokens'),
      reasoning_tokens: sums.of('reasoningTokens'),
    },
    llmCalls: sums.of('llmCalls'),
    toolCalls: 0,
    toolErrors: 0,
    toldCostMicros: hasCost ? sums.of('costUsd') : null,
  };
}
