import type { CommandCounts } from './checks/commands-check.js';
import type { LossCounts } from './checks/liveness-check.js';
import type { TelemetryCounts } from './checks/telemetry-check.js';
import { purposeOf } from './command-ledger.js';
import type { Fleet } from './fleet.js';
import { Histogram } from './histogram.js';
import type { Failures, Operation, Phase } from './recorder.js';
import type { Ending } from './stage.js';
import type { UserDriver } from './user-driver.js';

/** What a run found. */
export interface Outcome {
  readonly phases: readonly Phase[];
  /** Broken promises, one line for each kind; none in a good run. */
  readonly problems: readonly string[];
  readonly commands: CommandCounts;
  readonly losses: LossCounts;
  /** The shortest and the longest heartbeat interval that agents were told, in the end; seconds. */
  readonly toldSeconds: readonly [number, number];
  readonly logs: TelemetryCounts;
  readonly metrics: TelemetryCounts;
  readonly events: number;
  readonly tooLate: number;
  readonly heldBack: number;
  readonly latency: CommandLatency;
  /** How long after the middle of the run (a storm, a restart) every agent had been heard again; milliseconds. */
  readonly recoveredMs: number | null;
  /** How long after the storm every agent's start had been answered; null where there was none, or not all were. */
  readonly startsAnsweredMs: number | null;
  readonly failures: ReadonlyMap<Operation, Failures>;
  readonly endings: readonly Ending[];
}

/** From a person's request to the agent that has its command in its hands; milliseconds. */
export interface CommandLatency {
  readonly fromRequest: Histogram;
  readonly fromReply: Histogram;
  /**
   * Left out, because of faults and outages: asked for or delivered more than once, behind another command of its
   * deployment, or while its agent was not waiting.
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
    // When the deployment's earlier commands had all been dealt with.
    let freeSince = 0;
    for (const { deploymentId, action, generation, askedAt, agreedAt, attempts } of wishes) {
      const trace = traces.get(purposeOf(deploymentId, action, generation));
      const inHand = trace?.inHand;
      if (!inHand) continue;
      const isPlain =
        attempts === 1 && inHand.attempt === 1 && inHand.awaitedSince <= askedAt && freeSince <= askedAt;
      if (isPlain) {
        fromRequest.record(inHand.at - askedAt);
        // The agent may well have it before the person has heard that it was taken.
        fromReply.record(Math.max(0, inHand.at - agreedAt));
      } else leftOut++;
      freeSince = trace.acknowledgedAt ?? Infinity;
    }
  }
  return { fromRequest, fromReply, leftOut };
}
