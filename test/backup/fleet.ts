import { AgentRuntime, type DesiredState } from '@agent-control-plane/client/runtime';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import type { ChildService } from '../harness/child-service.js';
import { until } from '../harness/until.js';

/** An agent of the runtime library, whose replicas are numbers. */
export class FleetMember {
  /** Running replicas, by deployment. */
  readonly replicas = new Map<string, number>();
  private readonly runtime: AgentRuntime;
  private readonly running: Promise<void>;

  private constructor(
    private readonly person: Person,
    readonly agent: TestAgent,
    url: string,
  ) {
    this.runtime = new AgentRuntime({
      baseUrl: url,
      key: agent.key,
      apply: async (desired) => this.apply(desired),
    });
    this.running = this.runtime.run();
  }

  static async start(service: ChildService, person: Person): Promise<FleetMember> {
    return new FleetMember(person, await createAgent(service, person), service.url);
  }

  /** Deploys the agent and waits until it is ready. @returns the id of the deployment */
  async deploy(): Promise<string> {
    const id = await deploy(this.person, this.agent);
    await this.isReady(id, 1);
    return id;
  }

  /** Requests a number of replicas, and waits until they run and the service shows it. */
  async scale(deploymentId: string, replicas: number): Promise<void> {
    await this.person.api.post(`/deployments/${deploymentId}/scale`, { replicas });
    await this.isReady(deploymentId, replicas);
  }

  async restart(deploymentId: string): Promise<void> {
    await this.person.api.post(`/deployments/${deploymentId}/stop`);
    await this.person.api.post(`/deployments/${deploymentId}/restart`);
    await this.isReady(deploymentId, 1);
  }

  async stop(): Promise<void> {
    await this.runtime.stop(0);
    await this.running;
  }

  private apply({ deploymentId, replicas }: DesiredState): void {
    this.replicas.set(deploymentId, replicas);
    this.runtime.report(deploymentId, { readyReplicas: replicas });
  }

  private isReady(deploymentId: string, replicas: number): Promise<unknown> {
    return until(async () => {
      const { body } = await this.person.api.get(`/deployments/${deploymentId}`);
      const isObserved = body.observed_generation === body.generation && body.status === 'ready';
      return isObserved && body.ready_replicas === replicas && this.replicas.get(deploymentId) === replicas;
    }, 60_000);
  }
}
