import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { AgentUnderTest } from './agent-under-test.js';
import type { Rule, Verdict } from './checks/check.js';
import { acknowledgesEverything, titleOf } from './checks/commands.js';
import {
  endsBeforeItSaysSo,
  registers,
  reportsReadiness,
  runsWhatIsAsked,
  takesCommands,
} from './checks/milestones.js';
import { type Call, type CommandAction, nameOf, reportsOf, type Route } from './evidence.js';
import type { ReplicaWatch } from './replica-watch.js';
import type { PlayedCommand } from './service/played-queue.js';
import type { PlayedService } from './service/played-service.js';
import type { Deployment } from './service/played-state.js';

const LOOK_EVERY_MS = 20;
/** Nobody is there yet, and whoever starts an agent by hand takes their time. */
const BY_HAND_MS = 600_000;
/** Milliseconds. */
const CROSSING_MS = 400;
/** Turns of the event loop from the end of a process to the record of its last call, with one to spare. */
const TURNS_TO_READ = 4;

/** The agent broke a rule without which the scenario can't go on. */
export class CutShortError extends Error {}

/** Special behaviour of the replicas of a command. */
export interface ReplicaKind {
  /** They can't be started. */
  readonly isImpossible?: boolean;
  /** How long they take to end once they are asked to; milliseconds. */
  readonly endMs?: number;
  /** True if they report when they are ready; else they are ready at once. */
  readonly hasReadiness?: boolean;
}

/** @returns the agent's configuration, as JSON text */
export type ConfigOf = (kind: ReplicaKind) => string;

interface Patience {
  /** How long to wait for what has to happen; milliseconds. */
  readonly patienceMs: number;
  /** How long the agent may take to end after SIGTERM; milliseconds. */
  readonly endPatienceMs: number;
}

/** The stage of a scenario: it tells one story and waits for the agent's part in it. */
export class Stage {
  /** Verdicts on the rules that the story itself held the agent to. */
  readonly verdicts: Verdict[] = [];
  /** Rules that have nothing to do with an agent of this kind. */
  readonly spared = new Set<Rule>();
  /** Undefined where a person starts the agent. */
  agent: AgentUnderTest | undefined;
  /** The agent's configuration in the next commands. */
  private kind: ReplicaKind = {};
  /** No replica has shown itself: the agent runs something else. */
  private runsElse = false;
  /** How long it waits for what has to happen; milliseconds. */
  readonly patienceMs: number;

  constructor(
    readonly service: PlayedService,
    readonly replicas: ReplicaWatch,
    private readonly launch: (() => Promise<AgentUnderTest>) | undefined,
    private readonly configOf: ConfigOf,
    private readonly patience: Patience,
  ) {
    this.patienceMs = patience.patienceMs;
  }

  /** @throws AgentNotStartedError */
  async startAgent(): Promise<void> {
    this.agent = await this.launch?.();
    this.service.expectAgent();
  }

  /** @param how as on SIGTERM, or as by a power failure @returns whether it ended; false where that is a person's to do */
  async endAgent(how: 'stopped' | 'killed'): Promise<boolean> {
    if (!this.agent) return false;
    this.service.excuseAgent();
    if (how === 'stopped') await this.agent.stop(this.patience.endPatienceMs);
    else await this.agent.kill();
    await lastCallsRead();
    return true;
  }

  /** Commands from now on have replicas of this kind. */
  use(kind: ReplicaKind): void {
    this.kind = kind;
  }

  /** Waits for something that must happen. @throws CutShortError when it does not */
  async must(
    rule: Rule,
    breach: string | (() => string),
    condition: () => boolean,
    patienceMs = this.patienceMs,
  ): Promise<void> {
    if (await this.agentBrings(condition, patienceMs)) return this.passed(rule);
    this.failed(rule, `${said(breach)}${this.lastCall()}`);
    throw new CutShortError();
  }

  /** Waits for something that should happen; the story goes on without it. */
  async should(
    rule: Rule,
    breach: string | (() => string),
    condition: () => boolean,
    patienceMs = this.patienceMs,
  ): Promise<void> {
    // a wait that ended without success once is shorter the next time
    const hasFailed = this.verdicts.some((verdict) => verdict.rule === rule && verdict.breaches.length > 0);
    const patience = hasFailed ? patienceMs / 10 : patienceMs;
    if (await this.agentBrings(condition, patience)) this.passed(rule);
    else this.failed(rule, `${said(breach)}${this.lastCall()}`);
  }

  /** Judges what can be seen at once. */
  judge(rule: Rule, breach: string | null): void {
    if (breach === null) this.passed(rule);
    else this.failed(rule, breach);
  }

  /** Lets time pass, to see what the agent does with it. */
  async watch(milliseconds: number): Promise<void> {
    await this.comes(() => Boolean(this.agent?.end), milliseconds);
  }

  async registered(): Promise<void> {
    const patience = this.agent ? this.patienceMs : BY_HAND_MS;
    await this.must(registers, 'It never registered', () => this.answered('register').length > 0, patience);
  }

  /** How many calls to a route the agent has had a 200 for. @param since milliseconds of the scenario */
  answered(route: Route, since = 0): Call[] {
    return this.calls(route, since).filter(({ status, trouble }) => status === 200 && trouble === null);
  }

  calls(route: Route, since = 0): Call[] {
    return this.service.calls.filter((call) => call.route === route && call.at >= since);
  }

  deployment(): Deployment {
    const deployment = {
      id: uuidv7(),
      createdAt: new Date(),
      status: 'deploying',
      replicas: 1,
      generation: 0,
    };
    this.service.deployments.set(deployment.id, deployment);
    return deployment;
  }

  /** Puts a command in the queue, as the service does when a person asks for it. */
  order(action: CommandAction, deployment: Deployment, replicas = deployment.replicas): PlayedCommand {
    if (action === 'deploy' || action === 'scale' || action === 'restart') deployment.generation++;
    deployment.replicas = replicas;
    if (action === 'stop' || action === 'kill') deployment.status = action === 'stop' ? 'stopped' : 'killed';
    else if (action !== 'scale') deployment.status = 'deploying';
    const { id: deploymentId, generation } = deployment;
    const { isImpossible } = this.kind;
    const config = this.configOf(this.kind);
    return this.service.queue.add({ action, deploymentId, generation, replicas, config, isImpossible });
  }

  /** Waits until the command was taken and its acknowledgement answered. */
  async obeyed(command: PlayedCommand): Promise<void> {
    const title = titleOf(command);
    await this.must(takesCommands, `It never took ${title}`, () => command.deliveries.length > 0);
    await this.must(acknowledgesEverything, `It never acknowledged ${title}`, () => hasAnswer(command));
    const deployment = this.service.deployments.get(command.deploymentId);
    const isStart = command.action === 'deploy' || command.action === 'restart';
    if (deployment?.status === 'deploying' && isStart && !command.isImpossible) deployment.status = 'running';
    if (command.action === 'stop' || command.action === 'kill') await this.hasEnded(command);
  }

  /** A connection's end and an acknowledgement on another connection may cross. */
  private async hasEnded(command: PlayedCommand): Promise<void> {
    const { replicas } = this;
    if (!replicas.isInUse) return;
    const others = [...this.service.deployments.values()].filter(
      ({ generation, status }) => generation > 0 && status !== 'stopped' && status !== 'killed',
    );
    const most = others.reduce((sum, other) => sum + other.replicas, 0);
    const isGone = await this.comes(() => replicas.alive <= most, CROSSING_MS);
    this.judge(
      endsBeforeItSaysSo,
      isGone
        ? null
        : `It acknowledged ${titleOf(command)} while ${replicas.alive - most} of its replicas still ran`,
    );
  }

  /** {@link order}, then {@link obeyed}. */
  async obey(action: CommandAction, deployment: Deployment, replicas?: number): Promise<PlayedCommand> {
    const command = this.order(action, deployment, replicas);
    await this.obeyed(command);
    return command;
  }

  /** Waits for a report that says that all replicas are ready. */
  async ready(deployment: Deployment): Promise<void> {
    const { id, generation, replicas } = deployment;
    await this.should(
      reportsReadiness,
      `It never reported ${replicas} ready replicas of generation ${generation}`,
      () =>
        reportsOf(this.service).some(
          ({ report }) =>
            report.deployment_id === id &&
            report.observed_generation === generation &&
            report.ready_replicas === replicas,
        ),
    );
  }

  /** The usual beginning: the agent registers, and carries out a deployment with one replica. */
  async deployed(): Promise<Deployment> {
    await this.registered();
    const deployment = this.deployment();
    await this.obey('deploy', deployment);
    await this.running(1);
    return deployment;
  }

  /** Waits until so many replicas live; says nothing where the agent runs something else. */
  async running(count: number): Promise<void> {
    if (!this.replicas.isInUse && count > 0 && !this.runsElse)
      this.runsElse = !(await this.agentBrings(() => this.replicas.isInUse, this.patienceMs));
    if (!this.replicas.isInUse) return;
    await this.should(
      runsWhatIsAsked,
      () => `${count} replicas were asked for, and ${this.replicas.alive} run`,
      () => this.replicas.alive === count,
    );
  }

  /**
   * Waits for a condition. Time is counted in looks: on a machine that is slow, or has stood still, there is more of it,
   * and whatever has come meanwhile is seen before it is over.
   *
   * @returns whether it came true in time
   */
  async comes(condition: () => boolean, patienceMs: number): Promise<boolean> {
    for (let left = patienceMs; left > 0 && !condition(); left -= LOOK_EVERY_MS) await delay(LOOK_EVERY_MS);
    return condition();
  }

  /** The same for what only a living agent can bring about. */
  private async agentBrings(condition: () => boolean, patienceMs: number): Promise<boolean> {
    await this.comes(() => condition() || Boolean(this.agent?.end), patienceMs);
    return condition();
  }

  private lastCall(): string {
    const { end } = this.agent ?? {};
    const last = this.service.calls.at(-1);
    const seen = last ? `; the last that was seen of it is ${nameOf(last)}` : '; it never called';
    return end ? `${seen}, and its process ended with ${end.signal ?? `code ${end.code}`}` : seen;
  }

  private passed(rule: Rule): void {
    this.verdicts.push({ rule, breaches: [] });
  }

  private failed(rule: Rule, breach: string): void {
    this.verdicts.push({ rule, breaches: [breach] });
  }
}

/**
 * Waits until the calls are recorded that a process sent before it ended: one turn accepts its connection, the next ones read
 * it. A busy kit would read them after the next process has started, and hold them against that one.
 */
async function lastCallsRead(): Promise<void> {
  for (let turns = 0; turns < TURNS_TO_READ; turns++) await turn();
}

/** Evaluated when the waiting is over, because the text may change until then. */
function said(breach: string | (() => string)): string {
  return typeof breach === 'string' ? breach : breach();
}

function hasAnswer({ deliveries, acknowledgements }: PlayedCommand): boolean {
  const last = deliveries.at(-1)?.at ?? 0;
  return acknowledgements.some(({ call }) => call.status === 200 && (call.endedAt ?? 0) >= last);
}
