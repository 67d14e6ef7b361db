import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { AgentUnderTest, Launch } from './agent-under-test.js';
import { CHECKS, RULES } from './checks/all-checks.js';
import type { Rule, Verdict } from './checks/check.js';
import type { Call, Evidence } from './evidence.js';
import { ReplicaWatch } from './replica-watch.js';
import type { Scenario } from './scenario.js';
import { newIdentity, PlayedService } from './service/played-service.js';
import type { Identity } from './service/played-state.js';
import { replicaAddress, replicaConfig } from './replica-config.js';
import { CutShortError, Stage } from './stage.js';

const AFTERMATH_MS = 1_000;
const LATENESS_RESOLUTION_MS = 20;
/** Turns of the event loop that a call takes; on a slow machine each of them is late. */
const TURNS_OF_A_CALL = 4;

export interface RunOptions {
  /** Starts the agent; absent: a person starts it. */
  readonly launch?: Launch;
  /** 0 for any that is free. */
  readonly port: number;
  /** Time limit for an expected event; milliseconds. */
  readonly patienceMs: number;
  /** Time limit for the end of the agent after SIGTERM; milliseconds. */
  readonly endPatienceMs: number;
  /** Identity of an agent that a person starts: the same in every scenario. */
  readonly identity?: Identity;
  /** Called once the service can be reached. */
  readonly whenOpen?: (url: string, identity: Identity) => void;
  /** Program and arguments of each replica, before the address for its connection; absent: the kit's own program. */
  readonly replicaCommand?: readonly string[];
}

export interface Outcome {
  readonly scenario: Scenario;
  /** Verdicts on every rule that the scenario touched, in the order of {@link RULES}. */
  readonly verdicts: readonly Verdict[];
  /** Rules of the scenario that it had no occasion to judge. */
  readonly unjudged: readonly Rule[];
  /** Rules of the scenario that are not asked of an agent of this kind. */
  readonly unasked: readonly Rule[];
  readonly calls: readonly Call[];
  readonly seconds: number;
  /** The last lines of the agent's output. */
  readonly agentOutput: string;
}

/** Plays one scenario to one agent and checks the evidence. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const identity = options.identity ?? newIdentity();
  const service = new PlayedService(identity, scenario.conditions);
  const watch = new ReplicaWatch(() => service.now());
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  const turns = monitorEventLoopDelay({ resolution: LATENESS_RESOLUTION_MS });
  turns.enable();
  let stage: Stage | undefined;
  try {
    await service.open(options.port);
    const replicaUrl = await watch.open();
    options.whenOpen?.(service.url, identity);
    const address = replicaAddress(replicaUrl, scenario.replicas ?? {});
    const launch = launchIn(options, service, { replicaUrl: address, directory });
    stage = new Stage(service, watch, launch, replicaConfig(replicaUrl, options.replicaCommand), options);
    stage.use(scenario.replicas ?? {});
    await stage.startAgent();
    const isWhole = await playedTo(stage, scenario);
    // the service is well again when the agent is told to end
    service.faults.clear();
    const overAt = service.now();
    const endedByItself = (await stage.agent?.stop(options.endPatienceMs)) ?? true;
    // the record of a replica's end is a moment later
    await stage.comes(() => watch.alive === 0, AFTERMATH_MS);
    const evidence = evidenceOf(stage, latenessIn(turns), overAt, endedByItself);
    const verdicts = verdictsOn(evidence, stage.verdicts);
    return {
      scenario,
      verdicts,
      // an interrupted scenario reports the reason itself
      unjudged: isWhole ? unjudgedIn(scenario, verdicts, stage.spared) : [],
      unasked: scenario.judges.filter((rule) => stage?.spared.has(rule)),
      calls: service.calls,
      seconds: service.now() / 1_000,
      agentOutput: stage.agent?.output ?? '',
    };
  } finally {
    turns.disable();
    await stage?.agent?.stop(0);
    watch.close();
    await service.close();
    // a killed process of the agent may still have written a file
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function launchIn(
  { launch }: RunOptions,
  service: PlayedService,
  { replicaUrl, directory }: { replicaUrl: string; directory: string },
): (() => Promise<AgentUnderTest>) | undefined {
  const { key } = service.identity;
  const environment = {
    SERVICE_API_URL: service.url,
    SERVICE_AGENT_KEY: key,
    CONFORMANCE_REPLICA_URL: replicaUrl,
    CONFORMANCE_DIRECTORY: directory,
    // nine hours ahead: an agent that sends local times as UTC is found on a machine that runs in UTC
    TZ: 'Etc/GMT-9',
  };
  return launch && (() => launch(environment, key, () => service.now()));
}

/** @returns true if it was played to its end */
async function playedTo(stage: Stage, scenario: Scenario): Promise<boolean> {
  try {
    await scenario.play(stage);
    return true;
  } catch (error) {
    if (error instanceof CutShortError) return false;
    throw error;
  }
}

/** Milliseconds; a measurement includes the pause before it. */
function latenessIn({ max }: { readonly max: number }): number {
  return Math.max(0, max / 1e6 - LATENESS_RESOLUTION_MS) * TURNS_OF_A_CALL;
}

function evidenceOf(
  { service, replicas, agent }: Stage,
  lateMs: number,
  overAt: number,
  endedByItself: boolean,
): Evidence {
  return {
    agentId: service.identity.agentId,
    begunAt: service.begunAt,
    calls: service.calls,
    commands: service.queue.commands,
    replicas: replicas.stories,
    runs: service.runs.all,
    intervals: service.intervals,
    outages: service.outages,
    refusedAt: service.refusedAt,
    lateMs,
    overAt,
    end: endedByItself ? (agent?.end ?? null) : null,
    ownsAgent: agent !== undefined,
  };
}

/** One verdict for each rule: a breach in one place fails it. Pure. */
export function verdictsOn(evidence: Evidence, seen: readonly Verdict[]): Verdict[] {
  const examined = CHECKS.flatMap((rule) => {
    const breaches = rule.examine(evidence);
    return breaches === null ? [] : [{ rule, breaches }];
  });
  return RULES.flatMap((rule) => {
    const own = [...seen, ...examined].filter((verdict) => verdict.rule.id === rule.id);
    if (own.length === 0) return [];
    return [{ rule, breaches: [...new Set(own.flatMap(({ breaches }) => breaches))] }];
  });
}

function unjudgedIn({ judges }: Scenario, verdicts: readonly Verdict[], spared: ReadonlySet<Rule>): Rule[] {
  const judged = new Set(verdicts.map(({ rule }) => rule.id));
  return judges.filter((rule) => !judged.has(rule.id) && !spared.has(rule));
}
