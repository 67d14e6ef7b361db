import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AgentRuntime,
  type AgentRuntimeOptions,
  type DesiredState,
  type RuntimeEvent,
} from '@agent-control-plane/client/runtime';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import type { TestApp } from '../harness/test-app.js';
import { Gateway } from './gateway.js';

/** An agent, its gateway to the service, and its events. */
export class AgentStage {
  readonly applied: DesiredState[] = [];
  readonly events: RuntimeEvent[] = [];
  /** The ids of the runs whose work has begun: the service says `running` before its reply has arrived. */
  readonly begun: string[] = [];
  private readonly directory = mkdtempSync(join(tmpdir(), 'agent-runtime-'));
  private readonly runtimes: AgentRuntime[] = [];

  private constructor(
    private readonly person: Person,
    readonly agent: TestAgent,
    readonly gateway: Gateway,
  ) {}

  static async open(app: TestApp, person: Person): Promise<AgentStage> {
    const agent = await createAgent(app, person, { config: { greeting: 'ahoy' } });
    return new AgentStage(person, agent, await Gateway.open(app.url));
  }

  async close(): Promise<void> {
    await Promise.all(this.runtimes.map((runtime) => runtime.stop(0)));
    await this.gateway.down();
    rmSync(this.directory, { recursive: true });
  }

  /** Starts an agent that applies every state at once, unless the test gives another function. */
  start(options: Partial<AgentRuntimeOptions> = {}): { runtime: AgentRuntime; over: Promise<unknown> } {
    const { onRun } = options;
    const runtime: AgentRuntime = new AgentRuntime({
      baseUrl: this.gateway.url,
      key: this.agent.key,
      apply: async (desired) => {
        this.applied.push(desired);
        if (desired.phase === 'running')
          runtime.report(desired.deploymentId, { readyReplicas: desired.replicas });
        return { did: desired.cause };
      },
      stateDir: this.directory,
      onEvent: (event) => this.events.push(event),
      refusalPatienceMs: 300,
      ...options,
      ...(onRun && {
        onRun: (run) => {
          this.begun.push(run.id);
          return onRun(run);
        },
      }),
    });
    this.runtimes.push(runtime);
    const over = runtime.run().catch((error: unknown) => error);
    return { runtime, over };
  }

  deploy(): Promise<string> {
    return deploy(this.person, this.agent);
  }

  causes(): string[] {
    return this.applied.map(({ cause }) => cause);
  }

  async logs(): Promise<any[]> {
    return (await this.person.api.get(`/agents/${this.agent.id}/logs?limit=500`)).body;
  }
}
