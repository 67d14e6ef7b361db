import type { TestApp } from '../harness/test-app.js';
import { askApproval } from './approvals.js';
import { createAgent, deploy, type TestAgent } from './agents.js';
import { pause, resume } from './pauses.js';
import type { Person } from './people.js';
import { exportSpans, llmSpan } from './traces.js';

/** Settings of an app in which {@link giveBelongings} can be used, for one person hundreds of times. */
export const BELONGINGS_SETTINGS = {
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  MAX_BUDGETS_PER_PROJECT: '1000',
  MAX_PROJECTS_PER_USER: '1000',
  MAX_WEBHOOKS_PER_PROJECT: '1000',
};

/** Events for webhooks in a suite that fills an account: rare ones, because each message would be retried. */
export const RARE_EVENTS = ['agent.deleted'];

export interface Belongings {
  readonly agent: TestAgent;
  /** Id of a resource of this person, by path parameter. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Path parameters that are no ids: they name a part of the preceding resource. */
export const PARTS: Readonly<Record<string, string>> = { config_version: '1', span_id: '00f067aa0ba902b7' };

/**
 * Creates one resource of each kind. A new kind needs a line here.
 *
 * @param projectId a project of which the person is a maintainer; absent: the personal one
 */
export async function giveBelongings(app: TestApp, person: Person, projectId?: string): Promise<Belongings> {
  const within = projectId === undefined ? {} : { project_id: projectId };
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await person.api.post(path, body);
    if (reply.status !== 201)
      throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body.id;
  };
  const webhookId = await create('/webhooks', { ...within, url: 'http://127.0.0.1:9/', events: RARE_EVENTS });
  // No server listens on the discard port, so the attempt fails; its delivery is stored all the same.
  await person.api.post(`/webhooks/${webhookId}/test`);
  const [delivery] = (await person.api.get(`/webhooks/${webhookId}/deliveries`)).body;
  const agent = await createAgent(app, person, within);
  const paused = await pause(person, agent);
  await resume(person, agent);
  const deploymentId = await deploy(person, agent);
  const runId = await create(`/agents/${agent.id}/runs`, {});
  await agent.runtime.post('/agents/runs/claim', {});
  const approvalId = (await askApproval(agent)).id;
  // One of the run as well, which ends with it.
  await askApproval(agent, { run_id: runId });
  const ofRun = { 'agent_control_plane.run_id': runId };
  await exportSpans(agent, [llmSpan({ spanId: PARTS.span_id, attributes: ofRun })]);
  const ids = {
    ...PARTS,
    user_id: person.id,
    project_id: await create('/projects', { name: 'a project' }),
    agent_id: agent.id,
    deployment_id: deploymentId,
    run_id: runId,
    pause_id: paused.id,
    approval_id: approvalId,
    schedule_id: await create(`/agents/${agent.id}/schedules`, { cron: '0 0 1 1 *' }),
    budget_id: await create('/budgets', {
      agent_id: agent.id,
      name: 'a budget',
      period: 'day',
      limit: { usd: 1 },
    }),
    factor_id: await create('/auth/factors/totp', { name: 'a phone' }),
    key_id: await create('/api-keys', { ...within, name: 'a key' }),
    webhook_id: webhookId,
    delivery_id: delivery.id,
    price_id: await setPrice(app),
    lead_id: await create('/leads', { email: person.email }),
  };
  return { agent, ids };
}

/** Sets the price of a model, which only operators may. */
async function setPrice({ database }: TestApp): Promise<string> {
  const [price] = await database.query<{ id: string }>(
    `INSERT INTO model_prices VALUES (make_uuidv7(), 'home', 'made', 1, 1, 1, 1, clock_timestamp(), 'user:x') RETURNING id`,
  );
  return price!.id;
}
