import {
  createServiceClient,
  follow,
  ServiceError,
  type ServiceClient,
  SessionCredentials,
  type Tokens,
  unwrap,
} from '@agent-control-plane/client';
import { type Stage, Steps } from './steps.js';

/** One agent from the first request to its end, with the client that the package exports. */
export async function story({ url, receiverUrl }: Stage): Promise<number> {
  const steps: Steps = new Steps();
  const open = createServiceClient({ baseUrl: url });
  let tokens: Tokens = await unwrap(
    open.POST('/auth/register', { body: { email: 'own@example.com', password: 'Correct-horse-7' } }),
  );
  steps.expect('a person registers', tokens.access_token !== '');
  const store = { read: () => tokens, write: (fresh: Tokens) => void (tokens = fresh) };
  const session = new SessionCredentials(store, (refresh_token) =>
    unwrap(open.POST('/auth/refresh', { body: { refresh_token } })),
  );
  const expired = tokens.access_token;
  tokens = { ...tokens, access_token: 'expired' };
  const me = createServiceClient({ baseUrl: url, credentials: session });
  const agent = await unwrap(me.POST('/agents', { body: { name: 'reader' } }));
  steps.expect('an expired session is renewed', agent.name === 'reader' && tokens.access_token !== expired);
  const ofAgent = { params: { path: { agent_id: agent.agent_id } } };
  const deployed = await unwrap(me.POST('/agents/{agent_id}/deploy', ofAgent));
  steps.expect('it is deployed', deployed.status === 'deploying' && deployed.ended_at === null);
  const ofDeployment = { params: { path: { deployment_id: deployed.id } } };
  await beTheRuntime(steps, createServiceClient({ baseUrl: url, credentials: agent.api_key }), deployed.id);

  const deployment = await unwrap(me.GET('/deployments/{deployment_id}', ofDeployment));
  steps.expect('it is ready', deployment.status === 'ready');
  const scaled = await unwrap(
    me.POST('/deployments/{deployment_id}/scale', { ...ofDeployment, body: { replicas: 3 } }),
  );
  steps.expect('it is scaled', scaled.replicas === 3);
  const history = await unwrap(me.GET('/deployments/{deployment_id}/events', ofDeployment));
  steps.expect('the history tells', history.items[0]?.event_type === 'scale');
  const watched = { path: ofDeployment.params.path, lastEventId: '1' };
  for await (const { data } of follow(me, '/deployments/{deployment_id}/events/stream', watched)) {
    steps.expect('the live stream tells too', data.sequence === 2);
    break;
  }
  const refusal = await refusalOf(
    me.POST('/deployments/{deployment_id}/scale', { ...ofDeployment, body: { replicas: -1 } }),
  );
  steps.expect('a 422 says what is wrong', refusal?.status === 422 && refusal.problems.length === 1);
  const unknown = await refusalOf(
    me.GET('/agents/{agent_id}', { params: { path: { agent_id: deployed.id } } }),
  );
  steps.expect('a 404 does too', unknown?.detail === 'Agent not found');
  await useAKey(steps, me, url);
  await useAWebhook(steps, me, receiverUrl);
  const deleted = await me.DELETE('/agents/{agent_id}', ofAgent);
  steps.expect('it is deleted', deleted.response.status === 204);
  return steps.count;
}

async function refusalOf(request: Promise<unknown>): Promise<ServiceError | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    return error instanceof ServiceError ? error : undefined;
  }
}

async function beTheRuntime(steps: Steps, runtime: ServiceClient, deploymentId: string): Promise<void> {
  const here = await unwrap(runtime.POST('/agents/register', { body: { version: '1.0.0' } }));
  steps.expect('the runtime registers', here.status === 'registered');
  const { commands } = await unwrap(runtime.GET('/agents/commands', { params: { query: { wait: 20 } } }));
  const [command] = commands;
  steps.expect('it gets its command', command?.action === 'deploy' && command.parameters.replicas === 1);
  const done = await unwrap(
    runtime.POST('/agents/commands/acknowledge', { body: { command_id: command.command_id, success: true } }),
  );
  steps.expect('it acknowledges', done.status === 'ok');
  const beat = await unwrap(
    runtime.POST('/agents/heartbeat', {
      body: { deployments: [{ deployment_id: deploymentId, status: 'ready' }] },
    }),
  );
  steps.expect('it says ready', beat.pending_commands === 0);
  const logs = await unwrap(
    runtime.POST('/agents/logs', { body: { logs: [{ level: 'info', message: 'hello' }] } }),
  );
  steps.expect('it logs', logs.accepted === 1);
}

async function useAKey(steps: Steps, me: ServiceClient, baseUrl: string): Promise<void> {
  const key = await unwrap(me.POST('/api-keys', { body: { name: 'nightly-report' } }));
  const byKey = createServiceClient({ baseUrl, credentials: key.key });
  const agents = await unwrap(byKey.GET('/agents', { params: { query: { limit: 1 } } }));
  steps.expect('a key opens what it should', agents.length === 1);
  const revoked = await me.DELETE('/api-keys/{key_id}', { params: { path: { key_id: key.id } } });
  steps.expect('it is revoked', revoked.response.status === 204);
  const refused = await refusalOf(byKey.GET('/agents'));
  steps.expect('and opens nothing any more', refused?.status === 401);
}

async function useAWebhook(steps: Steps, me: ServiceClient, url: string): Promise<void> {
  const webhook = await unwrap(me.POST('/webhooks/', { body: { url, events: ['deployment.*'] } }));
  const ofWebhook = { params: { path: { webhook_id: webhook.id } } };
  const tested = await unwrap(me.POST('/webhooks/{webhook_id}/test', ofWebhook));
  steps.expect('a webhook is tested', tested.status_code === 200);
  const deliveries = await unwrap(me.GET('/webhooks/{webhook_id}/deliveries', ofWebhook));
  steps.expect('and it is listed', deliveries[0]?.event === 'webhook.test');
  const deleted = await me.DELETE('/webhooks/{webhook_id}', ofWebhook);
  steps.expect('it is deleted', deleted.response.status === 204);
}
