import {
  acknowledgeCommand,
  createAgent,
  createApiKey,
  createWebhook,
  deleteAgent,
  deleteWebhook,
  deployAgent,
  getAgent,
  getCurrentUser,
  getDeployment,
  listAgents,
  listDeploymentEvents,
  listDeploymentLogs,
  listWebhookDeliveries,
  pollCommands,
  registerAgent,
  registerUser,
  revokeApiKey,
  scaleDeployment,
  sendHeartbeat,
  submitLogs,
  testWebhook,
} from './generated/orval/client.js';
import { useService } from './service-url.js';
import { type Stage, Steps } from './steps.js';

const as = (credential: string) => ({ headers: { Authorization: `Bearer ${credential}` } });

/** One agent from the first request to its end, through the functions that Orval makes. Every reply is narrowed by status. */
export async function story({ url, receiverUrl }: Stage): Promise<number> {
  useService(url);
  const steps: Steps = new Steps();
  const registered = await registerUser({ email: 'orval@example.com', password: 'Correct-horse-7' });
  steps.expect('a person registers', registered.status === 201);
  const me = as(registered.data.access_token);
  const created = await createAgent({ name: 'invoice-reader', config: { command: ['true'] } }, me);
  steps.expect('an agent is recorded', created.status === 201);
  const { agent_id: agentId, api_key: key } = created.data;
  const deployed = await deployAgent(agentId, {}, me);
  steps.expect('it is deployed', deployed.status === 200 && deployed.data.status === 'deploying');
  await beTheRuntime(steps, as(key), deployed.data.id);

  const deployment = await getDeployment(deployed.data.id, me);
  steps.expect('it is ready', deployment.status === 200 && deployment.data.status === 'ready');
  const scaled = await scaleDeployment(deployed.data.id, { replicas: 3 }, me);
  steps.expect('it is scaled', scaled.status === 200 && scaled.data.replicas === 3);
  const history = await listDeploymentEvents(deployed.data.id, { limit: 2 }, me);
  steps.expect('the history tells', history.status === 200 && history.data.items[0]?.event_type === 'scale');
  const logs = await listDeploymentLogs(deployed.data.id, { level: 'info' }, me);
  steps.expect('the log is there', logs.status === 200 && logs.data[0]?.message === 'hello');

  const refused = await scaleDeployment(deployed.data.id, { replicas: -1 }, me);
  steps.expect('a 422 says what is wrong', refused.status === 422 && Array.isArray(refused.data.message));
  const unknown = await getAgent(deployed.data.id, me);
  steps.expect('a 404 does too', unknown.status === 404 && unknown.data.detail === 'Agent not found');
  await useAKey(steps, me);
  await useAWebhook(steps, me, receiverUrl);
  const deleted = await deleteAgent(agentId, me);
  steps.expect('it is deleted', deleted.status === 204);
  return steps.count;
}

async function beTheRuntime(steps: Steps, key: RequestInit, deploymentId: string): Promise<void> {
  const here = await registerAgent({ version: '1.0.0' }, key);
  steps.expect('the runtime registers', here.status === 200 && here.data.status === 'registered');
  const polled = await pollCommands({ wait: 30 }, key);
  const command = polled.status === 200 ? polled.data.commands[0] : undefined;
  steps.expect('it gets its command', command?.action === 'deploy' && command.parameters.replicas === 1);
  const done = await acknowledgeCommand({ command_id: command.command_id, success: true }, key);
  steps.expect('it acknowledges', done.status === 200);
  const beat = await sendHeartbeat({ deployments: [{ deployment_id: deploymentId, status: 'ready' }] }, key);
  steps.expect('it says ready', beat.status === 200 && beat.data.pending_commands === 0);
  const one = await submitLogs({ level: 'info', message: 'hello' }, key);
  steps.expect('it logs a line', one.status === 200 && one.data.accepted === 1);
  const more = await submitLogs(
    {
      logs: [
        { level: 'error', message: 'a' },
        { level: 'debug', message: 'b' },
      ],
    },
    key,
  );
  steps.expect('it logs more', more.status === 200 && more.data.accepted === 2);
}

async function useAKey(steps: Steps, me: RequestInit): Promise<void> {
  const key = await createApiKey({ name: 'nightly-report' }, me);
  steps.expect('a key is made', key.status === 201);
  const agents = await listAgents({ limit: 1 }, { headers: { 'X-API-Key': key.data.key } });
  steps.expect('it opens what it should', agents.status === 200 && agents.data.length === 1);
  const self = await getCurrentUser(as(key.data.key));
  steps.expect('and no more', self.status === 401 || self.status === 403);
  const revoked = await revokeApiKey(key.data.id, me);
  steps.expect('it is revoked', revoked.status === 204);
}

async function useAWebhook(steps: Steps, me: RequestInit, url: string): Promise<void> {
  const webhook = await createWebhook({ url, events: ['deployment.*'] }, me);
  steps.expect('a webhook is made', webhook.status === 201 && webhook.data.secret.startsWith('whsec_'));
  const tested = await testWebhook(webhook.data.id, me);
  steps.expect('its test arrives', tested.status === 200 && tested.data.status_code === 200);
  const deliveries = await listWebhookDeliveries(webhook.data.id, { success: true }, me);
  steps.expect('and is listed', deliveries.status === 200 && deliveries.data[0]?.event === 'webhook.test');
  const deleted = await deleteWebhook(webhook.data.id, me);
  steps.expect('it is deleted', deleted.status === 204);
}
