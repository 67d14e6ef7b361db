import { setTimeout as delay } from 'node:timers/promises';
import { type Action, purposeOf } from './command-ledger.js';
import type { Answered, Person } from './person.js';
import { Random } from './random.js';
import type { Recorder } from './recorder.js';

/** A person's request that the service accepted, with its expected effect. */
export interface Wish {
  readonly deploymentId: string;
  readonly agentId: string;
  readonly action: Action;
  readonly generation: number;
  readonly replicas: number;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly agreedAt: number;
  /** Number of attempts. */
  readonly attempts: number;
}

const DEPLOYMENTS_OF_AN_AGENT = 2;
const REQUESTS_AT_ONCE = 64;
/** Half of the wishes concern agents that have deployments already, or in a large fleet nothing but deploys happens. */
const KNOWN_AGENTS = 0.5;

/** Simulated people: they read an agent, and deploy, scale, stop or restart as its state allows. */
export class UserDriver {
  readonly wishes: Wish[] = [];
  /** Accepted requests of each deployment, in their order. */
  readonly byPurpose = new Map<string, Wish>();
  /** Requests refused with 400, because the state had changed since it was read. */
  tooLate = 0;
  /** Requests not begun, because too many were pending. */
  heldBack = 0;
  private readonly busy = new Set<string>();
  /** Ids of agents that were deployed, an agent for each deployment. */
  readonly deployed: string[] = [];
  private readonly random: Random;

  constructor(
    private readonly person: Person,
    private readonly agentIds: readonly string[],
    private readonly recorder: Recorder,
    seed: number,
  ) {
    this.random = new Random(seed);
  }

  /** Makes wishes at a steady rate until the end, then waits for the answers to all. */
  async run(perSecond: number, ended: AbortSignal): Promise<void> {
    const underWay = new Set<Promise<void>>();
    const begunAt = performance.now();
    for (let count = 1; ; count++) {
      const due = begunAt + (count * 1_000) / perSecond;
      await delay(Math.max(0, due - performance.now()), undefined, { signal: ended }).catch(() => undefined);
      if (ended.aborted) break;
      const agentId = this.chooseAgent();
      if (this.busy.has(agentId) || underWay.size >= REQUESTS_AT_ONCE) {
        this.heldBack++;
        continue;
      }
      this.busy.add(agentId);
      const work = this.wishFor(agentId);
      underWay.add(work);
      void work.finally(() => {
        underWay.delete(work);
        this.busy.delete(agentId);
      });
    }
    await Promise.all(underWay);
  }

  private chooseAgent(): string {
    const known = this.deployed.length > 0 && this.random.chance(KNOWN_AGENTS);
    return this.random.pick(known ? this.deployed : this.agentIds);
  }

  private async wishFor(agentId: string): Promise<void> {
    try {
      const { reply } = await this.person.persist('look', 'GET', `/agents/${agentId}`);
      if (reply.status !== 200) throw new Error(`an agent's owner got ${reply.status}`);
      await this.choose(agentId, reply.body.deployments);
    } catch (error) {
      this.recorder.violated("a person's work failed", String(error));
    }
  }

  private async choose(agentId: string, deployments: readonly any[]): Promise<void> {
    const { random } = this;
    const choices: (() => Promise<void>)[] = [];
    if (deployments.length < DEPLOYMENTS_OF_AN_AGENT) choices.push(() => this.deploy(agentId));
    for (const { id, status } of deployments) {
      const path = `/deployments/${id}`;
      if (status === 'running' || status === 'ready') {
        const replicas = random.whole(1, 10);
        const scale = () => this.ask(agentId, 'scale', `${path}/scale`, { replicas });
        choices.push(scale, scale, scale, () => this.stop(agentId));
      }
      if (status === 'stopped' || status === 'failed') {
        choices.push(() => this.ask(agentId, 'restart', `${path}/restart`));
      }
    }
    if (choices.length > 0) await random.pick(choices)();
  }

  private async deploy(agentId: string): Promise<void> {
    await this.ask(agentId, 'deploy', `/agents/${agentId}/deploy`);
    this.deployed.push(agentId);
  }

  private async stop(agentId: string): Promise<void> {
    const answered = await this.person.persist('stop', 'POST', `/agents/${agentId}/stop`);
    if (!this.isAgreed('stop', answered)) return;
    for (const deployment of answered.reply.body.deployments)
      this.note(agentId, 'stop', deployment, answered);
  }

  private async ask(agentId: string, action: 'deploy' | 'scale' | 'restart', path: string, body?: object) {
    const answered = await this.person.persist(action, 'POST', path, body);
    if (this.isAgreed(action, answered)) this.note(agentId, action, answered.reply.body, answered);
  }

  private isAgreed(action: Action, { reply }: Answered): boolean {
    if (reply.status === 200) return true;
    if (reply.status === 400) this.tooLate++;
    else this.recorder.violated(`${action} answered ${reply.status}`, JSON.stringify(reply.body));
    return false;
  }

  private note(
    agentId: string,
    action: Action,
    deployment: any,
    { reply, askedAt, attempts }: Answered,
  ): void {
    const { id: deploymentId, generation, replicas } = deployment;
    const agreedAt = reply.receivedAt;
    const wish = { deploymentId, agentId, action, generation, replicas, askedAt, agreedAt, attempts };
    this.wishes.push(wish);
    this.byPurpose.set(purposeOf(deploymentId, action, generation), wish);
  }
}
