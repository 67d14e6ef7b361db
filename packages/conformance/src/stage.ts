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
import { type Call, type CommandAction, nameOf, type Route } from './evidence.js';
import { isReportedReady } from './readiness-reports.js';
import type { ConfigOf, ReplicaKind } from './replica-config.js';
import type { ReplicaWatch } from './replica-watch.js';
import type { PlayedCommand } from './service/played-queue.js';
import type { PlayedService } from './service/played-service.js';
import type { Deployment } from './service/played-state.js';

const LOOK_EVERY_MS = 20;
/** Time limit for the first call, because a person starts the agent by hand. */
const BY_HAND_MS = 600_000;
/** Time in which messages on two connections may cross; milliseconds. */
const CROSSING_MS = 400;
/** Turns of the event loop from the end of a process to the record of its last call, plus one. */
const TURNS_TO_READ = 4;

/** The agent violated a rule without which the scenario can't continue. */
export class CutShortError extends Error {}

interface Patience {
  /** Time limit for an expected event; milliseconds. */
  readonly patienceMs: number;
  /** Time limit for the end of the agent after SIGTERM; milliseconds. */
  readonly endPatienceMs: number;
}

/** The stage of a scenario: plays the service's part and waits for the agent's. */
export class Stage {
  /** Verdicts on the rules that the scenario itself checks. */
  readonly verdicts: Verdict[] = [];
  /** Rules that do not apply to an agent of this kind. */
  readonly spared = new Set<Rule>();
  /** Undefined if a person starts the agent. */
  agent: AgentUnderTest | undefined;
  /** The agent's configuration in the next commands. */
  private kind: ReplicaKind = {};
  /** True if no replica has connected: the agent runs other programs. */
  private runsElse = false;
  /** Time limit for an expected event; milliseconds. */
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

  /** @param how by SIGTERM, or like a power failure @returns true if it ended; false if only a person can end it */
  async endAgent(how: 'stopped' | 'killed'): Promise<boolean> {
    if (!this.agent) return false;
    this.service.excuseAgent();
    if (how === 'stopped') await this.agent.stop(this.patience.endPatienceMs);
    else await this.agent.kill();
    await lastCallsRead();
    return true;
  }

  /** Sets the kind of replicas for later commands. */
  use(kind: ReplicaKind): void {
    this.kind = kind;
  }

  /** Waits for a required event. @throws CutShortError if it does not happen */
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

  /** Waits for an expected event; the scenario continues without it. */
  async should(
    rule: Rule,
    breach: string | (() => string),
    condition: () => boolean,
    patienceMs = this.patienceMs,
  ): Promise<void> {
    // after a wait without success, the next wait for the rule is shorter
    const hasFailed = this.verdicts.some((verdict) => verdict.rule === rule && verdict.breaches.length > 0);
    const patience = hasFailed ? patienceMs / 10 : patienceMs;
    if (await this.agentBrings(condition, patience)) this.passed(rule);
    else this.failed(rule, `${said(breach)}${this.lastCall()}`);
  }

  /** Judges a rule at once. */
  judge(rule: Rule, breach: string | null): void {
    if (breach === null) this.passed(rule);
    else this.failed(rule, breach);
  }

  /** Lets time pass, to observe the agent. */
  async watch(milliseconds: number): Promise<void> {
    await this.comes(() => Boolean(this.agent?.end), milliseconds);
  }

  async registered(): Promise<void> {
    const patience = this.agent ? this.patienceMs : BY_HAND_MS;
    await this.must(registers, 'It never registered', () => this.answered('register').length > 0, patience);
  }

  /** Calls to a route that were answered with 200. @param since milliseconds of the scenario */
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

  /** Adds a rolling restart to the queue. The deployment stays as it is until it is reported otherwise. */
  roll(deployment: Deployment): PlayedCommand {
    deployment.generation++;
    return this.add('restart', deployment, true);
  }

  /** Adds a command to the queue, as after a person's request. */
  order(action: CommandAction, deployment: Deployment, replicas = deployment.replicas): PlayedCommand {
    if (action === 'deploy' || action === 'scale' || action === 'restart') deployment.generation++;
    deployment.replicas = replicas;
    if (action === 'stop' || action === 'kill') deployment.status = action === 'stop' ? 'stopped' : 'killed';
    else if (action !== 'scale') deployment.status = 'deploying';
    return this.add(action, deployment, false);
  }

  private add(action: CommandAction, deployment: Deployment, isRolling: boolean): PlayedCommand {
    const { id: deploymentId, generation, replicas } = deployment;
    const { isImpossible, takesRuns: isOfRuns } = this.kind;
    const config = this.configOf(this.kind);
    const parameters = { generation, replicas, config, isRolling, isImpossible, isOfRuns };
    return this.service.queue.add({ action, deploymentId, ...parameters });
  }

  /** Waits until the command was delivered and its acknowledgement answered. */
  async obeyed(command: PlayedCommand): Promise<void> {
    const title = titleOf(command);
    await this.must(takesCommands, `It never took ${title}`, () => command.deliveries.length > 0);
    await this.must(acknowledgesEverything, `It never acknowledged ${title}`, () => hasAnswer(command));
    const deployment = this.service.deployments.get(command.deploymentId);
    const isStart = command.action === 'deploy' || command.action === 'restart';
    if (deployment?.status === 'deploying' && isStart && !command.isImpossible) deployment.status = 'running';
    if (command.action === 'stop' || command.action === 'kill') await this.hasEnded(command);
  }

  /** Waits for the end of the replicas: a connection's end and an acknowledgement on another connection may cross. */
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

  /** Waits for a report with all replicas ready. */
  async ready(deployment: Deployment): Promise<void> {
    const { generation, replicas } = deployment;
    await this.should(
      reportsReadiness,
      `It never reported ${replicas} ready replicas of generation ${generation}`,
      () => isReportedReady(this.service, deployment),
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

  /** Waits until this many replicas run; does nothing if the agent runs other programs. */
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
   * Waits for a condition. Time is counted in checks: on a machine that is slow, or was suspended, there is more of it,
   * and everything that has arrived is examined before it is over.
   *
   * @returns true if the condition was met in time
   */
  async comes(condition: () => boolean, patienceMs: number): Promise<boolean> {
    for (let left = patienceMs; left > 0 && !condition(); left -= LOOK_EVERY_MS) await delay(LOOK_EVERY_MS);
    return condition();
  }

  /** Waits for a condition that only a running agent can meet. */
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
 * Waits until the last calls of an ended process are recorded: one turn accepts their connection, the next ones read
 * them. A busy kit would otherwise read them after the next process has started, and count them as its calls.
 */
async function lastCallsRead(): Promise<void> {
  for (let turns = 0; turns < TURNS_TO_READ; turns++) await turn();
}

/** Evaluated at the end of the wait, because the text may change until then. */
function said(breach: string | (() => string)): string {
  return typeof breach === 'string' ? breach : breach();
}

function hasAnswer({ deliveries, acknowledgements }: PlayedCommand): boolean {
  const last = deliveries.at(-1)?.at ?? 0;
  return acknowledgements.some(({ call }) => call.status === 200 && (call.endedAt ?? 0) >= last);
}
