import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { AgentProcess } from './agent-process.js';
import { CHECKS, RULES } from './checks/all-checks.js';
import type { Verdict } from './checks/check.js';
import type { Evidence } from './evidence.js';
import { ReplicaWatch } from './replica-watch.js';
import type { Scenario } from './scenario.js';
import { newIdentity, PlayedService } from './service/played-service.js';
import type { Identity } from './service/played-state.js';
import { CutShortError, Stage } from './stage.js';

const AFTERMATH_MS = 1_000;
const LATENESS_RESOLUTION_MS = 20;

export interface RunOptions {
  /** Starts the agent; absent: a person does. */
  readonly command?: readonly string[];
  /** 0 for any that is free. */
  readonly port: number;
  /** How long to wait for what has to happen; milliseconds. */
  readonly patienceMs: number;
  /** How long the agent may take to end after SIGTERM; milliseconds. */
  readonly endPatienceMs: number;
  /** Of an agent that a person starts: the same in every scenario. */
  readonly identity?: Identity;
  /** Called once the service can be reached. */
  readonly whenOpen?: (url: string, identity: Identity) => void;
  /** JavaScript of the program that each replica runs, where it is not the built one beside this file. */
  readonly replicaProgram?: string;
}

export interface Outcome {
  readonly scenario: Scenario;
  /** Of every rule that the scenario had to do with, in the order of {@link RULES}. */
  readonly verdicts: readonly Verdict[];
  readonly calls: number;
  readonly seconds: number;
  /** The last lines of what the agent wrote. */
  readonly agentOutput: string;
}

/** Plays one scenario to one agent and holds what was seen against the rules. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const identity = options.identity ?? newIdentity();
  const service = new PlayedService(identity, scenario.conditions);
  const watch = new ReplicaWatch(() => service.now());
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  const turns = monitorEventLoopDelay({ resolution: LATENESS_RESOLUTION_MS });
  turns.enable();
  let agent: AgentProcess | undefined;
  try {
    await service.open(options.port);
    const replicaUrl = await watch.open();
    options.whenOpen?.(service.url, identity);
    if (options.command) {
      agent = await AgentProcess.start(
        options.command,
        {
          SERVICE_API_URL: service.url,
          SERVICE_AGENT_KEY: identity.key,
          CONFORMANCE_REPLICA_URL: replicaUrl,
          CONFORMANCE_DIRECTORY: directory,
        },
        identity.key,
        () => service.now(),
      );
    }
    const stage = new Stage(service, watch, agent, configOf(replicaUrl, options), options.patienceMs);
    await playedTo(stage, scenario);
    const overAt = service.now();
    const endedByItself = (await agent?.stop(options.endPatienceMs)) ?? true;
    // what is known of a replica's end comes a moment after it
    await stage.comes(() => watch.alive === 0, AFTERMATH_MS);
    const evidence = evidenceOf(stage, latenessIn(turns), overAt, endedByItself);
    return {
      scenario,
      verdicts: verdictsOn(evidence, stage.verdicts),
      calls: service.calls.length,
      seconds: service.now() / 1_000,
      agentOutput: agent?.output ?? '',
    };
  } finally {
    turns.disable();
    await agent?.stop(0);
    watch.close();
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** What an agent that runs programs needs: one that can be seen to live. */
function configOf(replicaUrl: string, { replicaProgram }: RunOptions): string {
  const program = replicaProgram ?? fileURLToPath(new URL('replica.js', import.meta.url));
  return JSON.stringify({
    command: [process.execPath, program, replicaUrl],
    readiness: { command: [process.execPath, '-e', '0'] },
  });
}

async function playedTo(stage: Stage, scenario: Scenario): Promise<void> {
  try {
    await scenario.play(stage);
  } catch (error) {
    if (!(error instanceof CutShortError)) throw error;
  }
}

/** Milliseconds; what is measured has the pause between two measurements in it. */
function latenessIn({ max }: { readonly max: number }): number {
  return Math.max(0, max / 1e6 - LATENESS_RESOLUTION_MS);
}

function evidenceOf(
  { service, replicas, agent }: Stage,
  lateMs: number,
  overAt: number,
  endedByItself: boolean,
): Evidence {
  return {
    agentId: service.identity.agentId,
    calls: service.calls,
    commands: service.queue.commands,
    replicas: replicas.stories,
    intervals: service.intervals,
    outages: service.outages,
    refusedAt: service.refusedAt,
    lateMs,
    overAt,
    end: endedByItself ? (agent?.end ?? null) : null,
    ownsAgent: agent !== undefined,
  };
}

/** One verdict for each rule: a breach anywhere is a breach. Pure. */
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
