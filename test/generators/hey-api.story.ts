import { type Client, createClient } from './generated/hey-api/client/index.js';
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
  streamDeploymentEvents,
  submitLogs,
  testWebhook,
} from './generated/hey-api/sdk.gen.js';
import { type Stage, Steps } from './steps.js';

/** One agent from the first request to its end, through the functions that @hey-api/openapi-ts makes. */
export async function story({ url, receiverUrl }: Stage): Promise<number> {
  const steps: Steps = new Steps();
  const as = (credential: string) => createClient({ baseUrl: url, auth: credential });
  const { data: tokens } = await registerUser({
    client: createClient({ baseUrl: url }),
    body: { email: 'hey-api@example.com', password: 'Correct-horse-7' },
  });
  steps.expect('a person registers', tokens?.token_type === 'bearer');
  const me = as(tokens.access_token);
  const { data: agent } = await createAgent({ client: me, body: { name: 'reader', config: { a: [1] } } });
  steps.expect('an agent is recorded', agent?.config === '{"a":[1]}');
  const ofAgent = { client: me, path: { agent_id: agent.agent_id } };
  const { data: deployed } = await deployAgent(ofAgent);
  steps.expect('it is deployed', deployed?.status === 'deploying' && deployed.ended_at === null);
  const ofDeployment = { client: me, path: { deployment_id: deployed.id } };
  await beTheRuntime(steps, as(agent.api_key), deployed.id);

  const { data: deployment } = await getDeployment(ofDeployment);
  steps.expect('it is ready', deployment?.status === 'ready');
  const { data: scaled } = await scaleDeployment({ ...ofDeployment, body: { replicas: 3 } });
  steps.expect('it is scaled', scaled?.replicas === 3);
  const { data: history } = await listDeploymentEvents({ ...ofDeployment, query: { limit: 2 } });
  steps.expect('the history tells', history?.items[0]?.event_type === 'scale');
  const { stream } = await streamDeploymentEvents({ ...ofDeployment, query: { after: '1' } });
  for await (const event of stream) {
    steps.expect('the live stream tells too', (event as { sequence?: number }).sequence === 2);
    break;
  }
  const { data: logs } = await listDeploymentLogs({ ...ofDeployment, query: { level: 'info' } });
  steps.expect('the log is there', logs?.[0]?.message === 'hello');

  const refused = await scaleDeployment({ ...ofDeployment, body: { replicas: -1 } });
  steps.expect(
    'a 422 says what is wrong',
    refused.error?.statusCode === 422 && Array.isArray(refused.error.message),
  );
  const unknown = await getAgent({ client: me, path: { agent_id: deployed.id } });
  steps.expect('a 404 does too', unknown.error?.detail === 'Agent not found');
  await useAKey(steps, me, as);
  await useAWebhook(steps, me, receiverUrl);
  const deleted = await deleteAgent(ofAgent);
  steps.expect('it is deleted', deleted.response?.status === 204);
  return steps.count;
}

async function beTheRuntime(steps: Steps, client: Client, deploymentId: string): Promise<void> {
  const { data: here } = await registerAgent({ client, body: { version: '1.0.0' } });
  steps.expect('the runtime registers', here?.status === 'registered');
  const { data: polled } = await pollCommands({ client, query: { wait: 30 } });
  const command = polled?.commands[0];
  steps.expect('it gets its command', command?.action === 'deploy' && command.parameters.replicas === 1);
  const done = await acknowledgeCommand({ client, body: { command_id: command.command_id, success: true } });
  steps.expect('it acknowledges', done.data?.status === 'ok');
  const { data: beat } = await sendHeartbeat({
    client,
    body: { status: 'running', deployments: [{ deployment_id: deploymentId, status: 'ready' }] },
  });
  steps.expect('it says ready', beat?.pending_commands === 0);
  const { data: one } = await submitLogs({ client, body: { level: 'info', message: 'hello' } });
  steps.expect('it logs a line', one?.accepted === 1);
  const lines = [
    { level: 'error', message: 'a' },
    { level: 'debug', message: 'b' },
  ] as const;
  const { data: more } = await submitLogs({ client, body: { logs: [...lines] } });
  steps.expect('it logs more', more?.accepted === 2);
}

async function useAKey(steps: Steps, me: Client, as: (credential: string) => Client): Promise<void> {
  const { data: key } = await createApiKey({ client: me, body: { name: 'nightly-report' } });
  steps.expect('a key is made', key?.key.startsWith('svc_user_') === true);
  const { data: agents } = await listAgents({ client: as(key.key), query: { limit: 1 } });
  steps.expect('it opens what it should', agents?.length === 1);
  const self = await getCurrentUser({ client: as(key.key) });
  steps.expect('and no more', self.error?.statusCode === 401 || self.error?.statusCode === 403);
  const revoked = await revokeApiKey({ client: me, path: { key_id: key.id } });
  steps.expect('it is revoked', revoked.response?.status === 204);
}

async function useAWebhook(steps: Steps, me: Client, url: string): Promise<void> {
  const { data: webhook } = await createWebhook({ client: me, body: { url, events: ['deployment.*'] } });
  steps.expect('a webhook is made', webhook?.secret.startsWith('whsec_') === true);
  const ofWebhook = { client: me, path: { webhook_id: webhook.id } };
  const { data: tested } = await testWebhook(ofWebhook);
  steps.expect('its test arrives', tested?.status_code === 200);
  const { data: deliveries } = await listWebhookDeliveries({ ...ofWebhook, query: { success: true } });
  steps.expect('and is listed', deliveries?.[0]?.event === 'webhook.test');
  const deleted = await deleteWebhook(ofWebhook);
  steps.expect('it is deleted', deleted.response?.status === 204);
}
