import { createAgent, deploy, historyOf, obey } from './builders/agents.js';
import { BELONGINGS_SETTINGS, giveBelongings } from './builders/belongings.js';
import { GOOD_PASSWORD, registerOperator, registerPerson } from './builders/people.js';
import { succeeded } from './harness/api-contract.js';
import { stageDeployment } from './harness/deployment-states.js';
import { useSecondFactors } from './builders/second-factors.js';
import { ApiDescription } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

let service: TestApp;
let api: ApiDescription;

beforeAll(async () => {
  service = await startTestApp({ settings: BELONGINGS_SETTINGS });
  api = ApiDescription.committed();
});

afterAll(() => service.close());

const NOON = '2026-01-31T12:00:00.000Z';

/** Operations that never end by themselves, or need an identity provider; their own suites call them. */
const ELSEWHERE = /^stream|Sso$/;

it('Every operation replies as the document declares', async () => {
  const person = await registerOperator(service);
  const { agent, ids } = await giveBelongings(service, person);
  await agent.runtime.post('/agents/register', { version: '1', capabilities: ['x'], metadata: { a: 1 } });
  await agent.runtime.post('/agents/heartbeat', { message: 'here' });
  await agent.runtime.post('/agents/logs', { level: 'warn', message: 'x', metadata: { a: [1] } });
  await agent.runtime.post('/agents/metrics', { cpu_usage: 0.5, requests_processed: 1, custom: { a: 1 } });
  await obey(agent);

  const queries: Record<string, string> = {
    listAgents: '?include_total=true',
    getHealthHours: `?agent_id=${agent.id}`,
  };
  for (const operation of api.operations) {
    if (operation.method !== 'GET' || ELSEWHERE.test(operation.id)) continue;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);
    const caller = operation.security.includes('agent_api_key') ? agent.runtime : person.api;
    const reply = await caller.get(`${path}${queries[operation.id] ?? ''}`);
    expect([operation.id, reply.status]).toEqual([operation.id, 200]);
    expect((await caller.get(`${path}?limit=x`)).status).toBeLessThan(500);
    expect((await service.api.get(path)).status).toBe(operation.security.length > 0 ? 401 : 200);
  }

  const { body: tokens } = await service.api.post('/auth/login', {
    email: person.email,
    password: GOOD_PASSWORD,
  });
  await service.api.post('/auth/login', { email: person.email, password: 'wrong' });
  await service.api.post('/auth/refresh', { refresh_token: tokens.refresh_token });
  await service.api.post('/auth/refresh', { refresh_token: 'x' });
  await service.api.post('/auth/register', { email: person.email, password: GOOD_PASSWORD });
  await person.api.post('/auth/logout');
  await person.api.patch(`/users/${person.id}`, { is_active: false });
  await person.api.patch(`/users/${(await registerPerson(service)).id}`, { is_active: false });
  const [{ id: session }] = (await person.api.get('/auth/sessions')).body;
  await person.api.delete(`/auth/sessions/${session}`);
  await person.api.delete('/auth/sessions');
  await person.api.post('/auth/password', {
    current_password: GOOD_PASSWORD,
    new_password: 'Another-Horse-8',
  });
  const { user, token } = (await person.api.post('/users', { email: 'invited@example.com' })).body;
  await service.api.post('/auth/password-reset', { token, new_password: 'Another-Horse-8' });
  await service.api.post('/auth/password-reset', { token, new_password: 'Another-Horse-8' });
  await person.api.post(`/users/${user.id}/password-reset`);
  await person.api.delete(`/users/${user.id}`);
  await useSecondFactors(service, person);
  await service.api.post('/newsletter', { email: person.email });
  const { email: colleague, id: colleagueId } = await registerPerson(service);
  const members = `/projects/${ids.project_id}/members`;
  await person.api.post(members, { email: colleague, role: 'viewer' });
  await person.api.patch(`${members}/${colleagueId}`, { role: 'deployer' });
  await person.api.delete(`${members}/${colleagueId}`);
  await person.api.patch(`/projects/${ids.project_id}`, { name: 'renamed' });
  await person.api.get(`/projects/${ids.project_id}/limits`);
  await person.api.patch(`/projects/${ids.project_id}/limits`, { agents: 100 });
  await person.api.delete(`/projects/${ids.project_id}`);
  await person.api.post('/agents/register', { name: 'enrolled' });
  await person.api.post('/agents', { config: '{' });
  await person.api.post('/api-keys', { name: 'for a runtime', agent_id: agent.id, expires_in_days: 1 });
  await person.api.patch(`/agents/${agent.id}`, { config: '{"model":"small"}' });
  await person.api.get(`/agents/${agent.id}/configs`);
  await person.api.get(`/agents/${agent.id}/configs/2`);
  await person.api.get(`/agents/${agent.id}/quotas`);
  await person.api.get(`/agents/${agent.id}/timeline`);
  await agent.runtime.post('/otlp/v1/logs', { resourceLogs: [] });
  await agent.runtime.post('/otlp/v1/metrics', { resourceMetrics: [] });
  await agent.runtime.post('/agents/usage', { usage: [{ model: 'gpt-4o' }, {}] });
  await person.api.post(`/api-keys/${ids.key_id}/rotate`);
  await person.api.post(`/api-keys/${ids.key_id}/rotate`);
  await person.api.delete(`/api-keys/${ids.key_id}`);

  for (const status of ['deploying', 'running', 'ready', 'stopped', 'failed', 'killed'] as const) {
    const staged = await stageDeployment(service, person, status);
    const path = `/deployments/${staged.id}`;
    await person.api.get(path);
    await person.api.get(`${path}/events`);
    await person.api.get(`${path}/commands`);
    await staged.agent.runtime.get(`/agents/${staged.agent.id}/status`);
    await person.api.post(`${path}/rolling-restart`);
    await person.api.post(`${path}/scale`, { replicas: 2 });
    await person.api.post(`${path}/stop`);
    await person.api.post(`${path}/restart`);
    await person.api.get(`/agents/${staged.agent.id}`);
    await staged.agent.runtime.get('/agents/commands');
    await person.api.post(`/agents/${staged.agent.id}/stop`);
    await person.api.delete(path);
    await person.api.delete(`/agents/${staged.agent.id}`);
    await person.api.get(path);
  }

  const failing = await createAgent(service, person);
  await deploy(person, failing);
  const [command] = (await failing.runtime.get('/agents/commands')).body.commands;
  const failure = { command_id: command.command_id, success: false, error: 'no disk', result: [1] };
  await failing.runtime.post('/agents/commands/acknowledge', failure);
  await failing.runtime.post('/agents/commands/acknowledge', failure);
  await person.api.get(`/deployments/${command.deployment_id}/commands`);
  await failing.runtime.get(`/agents/${agent.id}/status`);
  await agent.runtime.post('/agents/runs', { runs: [{ run_id: ids.run_id, status: 'failed', error: 'x' }] });
  const again = await person.api.post(`/runs/${ids.run_id}/retry`);
  await agent.runtime.post('/agents/runs/claim', { limit: 5 });
  await person.api.post(`/runs/${again.body.id}/cancel`, {});
  await person.api.patch(`/schedules/${ids.schedule_id}`, { name: 'x', every_seconds: 60, is_active: false });
  await person.api.post(`/schedules/${ids.schedule_id}/trigger`);
  await person.api.get(`/schedules/${ids.schedule_id}`);
  await person.api.delete(`/schedules/${ids.schedule_id}`);
  const prices = { input_tokens: 1, output_tokens: 2 };
  await person.api.request('PUT', '/model-prices', { body: { model: 'ours', usd_per_million: prices } });
  await person.api.delete(`/model-prices/${ids.price_id}`);
  await person.api.request('PUT', '/maintenance', { body: { reason: 'x' } });
  await person.api.delete('/maintenance');
  await person.api.request('PUT', '/log-level', { body: { level: 'info' } });
  await person.api.delete('/log-level');
  await person.api.patch(`/budgets/${ids.budget_id}`, { limit: { tokens: 5 } });
  await person.api.get(`/budgets/${ids.budget_id}`);
  await person.api.delete(`/budgets/${ids.budget_id}`);
  const { approval_id: approvalId } = ids;
  const asked = await agent.runtime.get(`/agents/approvals/${approvalId}`);
  await person.api.post(`/approvals/${approvalId}/decide`, {
    decision: 'edit',
    args_sha256: asked.body.args_sha256,
    edited_args: [1],
  });
  await person.api.get('/approvals');
  await agent.runtime.get(`/agents/approvals/${approvalId}`);
  await agent.runtime.post(`/agents/approvals/${approvalId}/withdraw`);
  await agent.runtime.post('/agents/register', {});
  await person.api.post(`/agents/${agent.id}/pause`, { reason: 'x' });
  await person.api.get(`/agents/${agent.id}`);
  await person.api.post('/pauses', { label: 'of:nobody', reason: 'x' });
  await person.api.get('/pauses');
  await person.api.post(`/agents/${agent.id}/resume`);
  await person.api.delete(`/pauses/${ids.pause_id}`);
  await person.api.post('/deployments', { agent_id: agent.id });
  await person.api.post('/webhooks/agent-status', { agent_id: agent.id, status: 'running' });
  await person.api.post('/webhooks/deployment', { deployment_id: ids.deployment_id, event: 'tested' });
  await person.api.post('/webhooks/metrics', { agent_id: agent.id, cpu_usage: 1, memory_usage: 1 });
  await person.api.patch(`/webhooks/${ids.webhook_id}`, { description: 'x', is_active: false });
  await person.api.post(`/webhooks/${ids.webhook_id}/rotate-secret`);
  await person.api.post(`/webhooks/${ids.webhook_id}/deliveries/${ids.delivery_id}/redeliver`);
  const receiver = await WebhookReceiver.start();
  try {
    const webhook = (await person.api.post('/webhooks', { url: receiver.url })).body.id;
    const { delivery_id: delivery } = (await person.api.post(`/webhooks/${webhook}/test`)).body;
    await person.api.post(`/webhooks/${webhook}/deliveries/${delivery}/redeliver`);
    await person.api.post(`/webhooks/${webhook}/recover`, {
      since: new Date(Date.now() - 60_000).toISOString(),
    });
  } finally {
    await receiver.close();
  }
  await person.api.delete(`/webhooks/${ids.webhook_id}`);

  // the clients have compared the replies with the document
  const missed = api.operations.map(({ id }) => id).filter((id) => !ELSEWHERE.test(id) && !succeeded.has(id));
  expect(missed.sort()).toEqual([]);
  // Hundreds of requests, one after the other.
}, 120_000);

it('A resource has the same document whether PostgreSQL or the service serializes it', async () => {
  const person = await registerPerson(service);
  const agent = await createAgent(service, person, { name: '"quoted" \\ ü', config: '{"note": "\\"b\\""}' });
  await agent.runtime.post('/agents/register', { version: '1', capabilities: ['ü'], metadata: { a: 1.5 } });
  await agent.runtime.post('/agents/heartbeat', { status: 'busy', message: 'line\nline' });
  const deploymentId = await deploy(person, agent);
  await obey(agent);
  await agent.runtime.post('/agents/heartbeat', {
    deployments: [
      { deployment_id: deploymentId, status: 'running', restart_count: 1, last_exit: { code: 1, at: NOON } },
    ],
  });

  const { body: written } = await person.api.patch(`/agents/${agent.id}`, { labels: { team: 'ü' } });
  const { body: deployment } = await person.api.get(`/deployments/${deploymentId}`);
  expect(deployment.last_exit).toMatchObject({ code: 1 });
  expect((await person.api.get(`/agents/${agent.id}`)).body).toEqual({
    ...written,
    deployments: [deployment],
  });
  expect((await person.api.get('/agents')).body).toEqual([written]);
  expect((await person.api.get('/agents?q=quoted')).body).toEqual([written]);
  expect((await person.api.get('/deployments')).body).toEqual([deployment]);

  const history = await historyOf(person, deploymentId);
  const { body: feed } = await person.api.get('/events');
  expect(history.length).toBeGreaterThan(1);
  expect(feed.map(({ agent_id: _, user_sequence: __, ...event }: any) => event).reverse()).toEqual(history);
});
