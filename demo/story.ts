import { setTimeout as delay } from 'node:timers/promises';
import { type Agent, type Budget, type Deployment, type Run, unwrap } from '@agent-control-plane/client';
import type { Company } from './founding.js';
import type { Narrator } from './narrator.js';
import type { OutsideWorld } from './outside-world.js';
import type { Pace } from './pace.js';
import type { Staff } from './staff.js';

const PATIENCE_MS = 90_000;
const ACTIVE = ['deploying', 'running', 'ready'];

/** What the end of the story points at. */
export interface Sights {
  readonly research: string;
}

/** Two minutes in the life of the company. */
export class Story {
  constructor(
    private readonly company: Company,
    private readonly staff: Staff,
    private readonly world: OutsideWorld,
    private readonly pace: Pace,
    private readonly narrator: Narrator,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws AbortError when the signal aborts; Error if something does not happen in time */
  async play(): Promise<Sights> {
    await this.deployAll();
    const living = this.world.live(this.signal);
    await this.seeAnAnswer();
    await this.at(25, () => this.scale());
    const research = await this.at(35, () => this.seeTheResearch());
    await this.at(50, () => this.payAnInvoice());
    await this.at(70, () => this.seeAForecastFail());
    await this.at(80, () => this.seeTheCrash());
    await this.at(95, () => this.seeTheBudget());
    await this.at(110, () => this.seeTheQuestion());
    await this.pace.until(120, this.signal);
    // it ends with the signal, and never throws
    void living;
    return { research };
  }

  private async at<Result>(second: number, scene: () => Promise<Result>): Promise<Result> {
    await this.pace.until(second, this.signal);
    return scene();
  }

  private async deployAll(): Promise<void> {
    const { agents } = this.company;
    for (const [name, agent] of agents) {
      const newest = await this.deploymentOf(agent);
      if (newest && ACTIVE.includes(newest.status)) continue;
      if (newest?.status === 'failed') await this.restart(newest);
      else
        await unwrap(
          this.ben.POST('/agents/{agent_id}/deploy', { params: { path: { agent_id: agent.id } } }),
        );
      if (name === 'translator') this.narrator.tell('Ben deploys translator, which has a budget');
    }
    const awaited = [...agents.values()].filter(({ name }) => name !== 'order-sync');
    await this.until('that all agents are ready', async () => {
      for (const agent of awaited) if (!(await this.isAtWork(agent))) return undefined;
      return true;
    });
    this.narrator.tell(`${agents.size} agents are at work: ${[...agents.keys()].join(', ')}`);
  }

  private async restart({ id, agent_name }: Deployment): Promise<void> {
    await unwrap(
      this.ben.POST('/deployments/{deployment_id}/restart', { params: { path: { deployment_id: id } } }),
    );
    this.narrator.tell(`Ben starts ${agent_name} again, which had failed`);
  }

  /** A pause stands for work, too: its budget was used up when the demo was played before. */
  private async isAtWork({ id }: Agent): Promise<boolean> {
    const agent = await unwrap(this.ben.GET('/agents/{agent_id}', { params: { path: { agent_id: id } } }));
    return agent.paused !== null || (await this.deploymentOf(agent))?.status === 'ready';
  }

  private async seeAnAnswer(): Promise<void> {
    const run = await this.succeeded('support-desk');
    this.narrator.tell(`support-desk answers ${run.name} (${costOf(run)})`);
  }

  private async scale(): Promise<void> {
    const monitor = await this.deploymentOf(this.agent('shop-monitor'));
    if (!monitor || monitor.replicas > 1) return;
    const params = { path: { deployment_id: monitor.id } };
    await unwrap(this.ben.POST('/deployments/{deployment_id}/scale', { params, body: { replicas: 2 } }));
    this.narrator.tell('Ben scales shop-monitor to two replicas');
  }

  private async seeTheResearch(): Promise<string> {
    const run = await this.succeeded('rights-scout');
    this.narrator.tell(`rights-scout has found out: ${run.name} (${costOf(run)})`);
    return run.id;
  }

  private async payAnInvoice(): Promise<void> {
    const { id } = await this.world.invoice();
    const params = { query: { run_id: id, state: 'pending' as const } };
    const question = await this.until('that invoice-payer asks', async () => {
      const [asked] = await unwrap(this.ben.GET('/approvals', { params }));
      return asked;
    });
    this.narrator.tell(`invoice-payer asks: ${question.title}`);
    await this.pace.seconds(5, this.signal);
    const body = {
      decision: 'approve' as const,
      args_sha256: question.args_sha256,
      reason: 'The invoice is right',
    };
    const path = { approval_id: question.id };
    await unwrap(this.ben.POST('/approvals/{approval_id}/decide', { params: { path }, body }));
    this.narrator.tell('... and Ben approves');
  }

  private async seeAForecastFail(): Promise<void> {
    if (!this.company.agents.has('sales-forecast')) return;
    await this.world.forecast('maps');
    const failed = await this.until('that a forecast fails', () =>
      this.newestRun('sales-forecast', 'failed'),
    );
    this.narrator.tell(`sales-forecast fails at maps: ${lastLine(failed.error)}`);
  }

  private async seeTheCrash(): Promise<void> {
    const crashed = await this.until('that order-sync crashes', async () => {
      const deployment = await this.deploymentOf(this.agent('order-sync'));
      return deployment?.status === 'failed' ? deployment : undefined;
    });
    this.narrator.tell(
      `order-sync has crashed, and svc run has given it up: ${lastLine(crashed.error_message)}`,
    );
  }

  private async seeTheBudget(): Promise<void> {
    const spent = await this.until('that the budget pauses translator', async () => {
      const { id } = this.agent('translator');
      const query = { project_id: this.company.projectId, agent_id: id, state: 'exceeded' as const };
      const [budget] = await unwrap(this.ben.GET('/budgets', { params: { query } }));
      const { paused } = await unwrap(
        this.ben.GET('/agents/{agent_id}', { params: { path: { agent_id: id } } }),
      );
      return budget && paused ? budget : undefined;
    });
    this.narrator.tell(`translator is paused: ${dollarsOf(spent)} of its day are spent`);
  }

  private async seeTheQuestion(): Promise<void> {
    const query = { agent_id: this.agent('returns-clerk').id, state: 'pending' as const };
    const question = await this.until('that returns-clerk asks', async () => {
      const [asked] = await unwrap(this.ben.GET('/approvals', { params: { query } }));
      return asked;
    });
    this.narrator.tell(`returns-clerk asks, and waits for you: ${question.title}`);
  }

  private succeeded(name: string): Promise<Run> {
    return this.until(`that ${name} answers`, async () => {
      const run = await this.newestRun(name, 'succeeded');
      // the last spans, and so the cost, come a moment after the end; either agent asks its models twice at least
      return (run?.usage?.llm_calls ?? 0) > 1 ? run : undefined;
    });
  }

  private async newestRun(name: string, status: Run['status']) {
    const query = { agent_id: this.agent(name).id, status: [status], limit: 1 };
    const [run] = await unwrap(this.ben.GET('/runs', { params: { query } }));
    return run;
  }

  private async deploymentOf({ id }: Agent): Promise<Deployment | undefined> {
    const query = { agent_id: id, limit: 1 };
    const [deployment] = await unwrap(this.ben.GET('/deployments', { params: { query } }));
    return deployment;
  }

  private get ben() {
    return this.company.ben.service;
  }

  private agent(name: string): Agent {
    return this.company.agents.get(name)!;
  }

  private async until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const found = await find();
      if (found !== undefined) return found;
      this.staff.check();
      if (performance.now() > end)
        throw new Error(`The demo has waited ${PATIENCE_MS / 1_000} s in vain ${what}`);
      await delay(200, undefined, { signal: this.signal });
    }
  }
}

function costOf({ usage }: Run): string {
  return `$${Number(usage?.cost_usd).toFixed(3)}`;
}

function dollarsOf({ spent, limit }: Budget): string {
  return `$${Number(spent.usd).toFixed(2)} of the $${Number(limit.usd).toFixed(2)}`;
}

function lastLine(text: string | null): string {
  return text?.trim().split('\n').at(-1)?.slice(0, 160) ?? '';
}
