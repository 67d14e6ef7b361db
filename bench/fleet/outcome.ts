import type { CommandCounts } from './checks/commands-check.js';
import type { RunCounts } from './checks/runs-check.js';
import type { SpanCounts } from './checks/spans-check.js';
import type { LossCounts } from './checks/liveness-check.js';
import type { TelemetryCounts } from './checks/telemetry-check.js';
import { purposeOf } from './command-ledger.js';
import type { Fleet } from './fleet.js';
import { Histogram } from './histogram.js';
import type { Failures, Operation, Phase } from './recorder.js';
import type { Ending } from './stage.js';
import type { UserDriver } from './user-driver.js';

/** Result of a run. */
export interface Outcome {
  readonly phases: readonly Phase[];
  /** Violations, one line for each kind; none in a good run. */
  readonly problems: readonly string[];
  readonly commands: CommandCounts;
  readonly runs: RunCounts;
  readonly losses: LossCounts;
  /** The shortest and the longest heartbeat interval that agents were assigned, in the end; seconds. */
  readonly toldSeconds: readonly [number, number];
  readonly logs: TelemetryCounts;
  readonly metrics: TelemetryCounts;
  readonly spans: SpanCounts;
  readonly events: number;
  readonly tooLate: number;
  readonly heldBack: number;
  readonly latency: CommandLatency;
  /** Time from the middle of the run (a storm, a restart) until every agent had called again; milliseconds. */
  readonly recoveredMs: number | null;
  /** Time from the storm until every agent's start was answered; null without a storm, or when some were not answered. */
  readonly startsAnsweredMs: number | null;
  readonly failures: ReadonlyMap<Operation, Failures>;
  readonly endings: readonly Ending[];
}

/** Time from a person's request until the agent has received its command; milliseconds. */
export interface CommandLatency {
  readonly fromRequest: Histogram;
  readonly fromReply: Histogram;
  /**
   * Commands left out of the latency: requested or delivered more than once, behind another command of their deployment, or delivered while their agent was not polling.
   */
  readonly leftOut: number;
}

/** Joins what people asked for with what agents got. Both sides are one process, so one clock. */
export function commandLatency(driver: UserDriver, fleet: Fleet): CommandLatency {
  const fromRequest = new Histogram();
  const fromReply = new Histogram();
  let leftOut = 0;
  const traces = new Map(
    [...fleet.ledger.traces.values()].map((trace) => {
      const { deployment_id: deployment, action, parameters } = trace.command;
      return [purposeOf(deployment, action, parameters.generation), trace];
    }),
  );
  for (const wishes of Map.groupBy(driver.wishes, (wish) => wish.deploymentId).values()) {
    // Time at which the deployment's earlier commands were settled.
    let freeSince = 0;
    for (const { deploymentId, action, generation, askedAt, agreedAt, attempts } of wishes) {
      const trace = traces.get(purposeOf(deploymentId, action, generation));
      const inHand = trace?.inHand;
      if (!inHand) continue;
      const isPlain =
        attempts === 1 && inHand.attempt === 1 && inHand.awaitedSince <= askedAt && freeSince <= askedAt;
      if (isPlain) {
        fromRequest.record(inHand.at - askedAt);
        // The agent may receive it before the person receives the reply.
        fromReply.record(Math.max(0, inHand.at - agreedAt));
      } else leftOut++;
      freeSince = trace.acknowledgedAt ?? Infinity;
    }
  }
  return { fromRequest, fromReply, leftOut };
}
