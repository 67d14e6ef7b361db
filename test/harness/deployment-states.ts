import { createAgent, deploy, obey, report, type TestAgent } from '../builders/agents.js';
import type { Person } from '../builders/people.js';
import type { TestApp } from './test-app.js';

export type DeploymentStatus = 'deploying' | 'running' | 'ready' | 'stopped' | 'failed' | 'killed';

export interface StagedDeployment {
  readonly agent: TestAgent;
  readonly id: string;
}

/** A deployment that was brought into a status by its owner's and its runtime's requests. */
export async function stageDeployment(
  app: TestApp,
  person: Person,
  status: DeploymentStatus,
): Promise<StagedDeployment> {
  const agent = await createAgent(app, person);
  const id = await deploy(person, agent);
  const steps: Record<DeploymentStatus, () => Promise<unknown>> = {
    deploying: () => Promise.resolve(),
    running: () => obey(agent),
    ready: () => obey(agent).then(() => report(agent, id, { status: 'ready' })),
    stopped: () => person.api.post(`/agents/${agent.id}/stop`),
    failed: () => report(agent, id, { status: 'failed', error_message: 'exit code 1' }),
    killed: () => person.api.delete(`/deployments/${id}`),
  };
  await steps[status]();
  const reached = (await person.api.get(`/deployments/${id}`)).body.status;
  if (reached !== status) throw new Error(`Staged ${reached} instead of ${status}`);
  return { agent, id };
}
