import type { TestApp } from '../harness/test-app.js';
import { createAgent, deploy, type TestAgent } from './agents.js';
import type { Person } from './people.js';

/** Settings of an app in which {@link giveBelongings} can be used. */
export const BELONGINGS_SETTINGS = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' };

/** Webhooks of these are sent nothing by a suite that fills an account: each message would be tried again and again. */
export const RARE_EVENTS = ['agent.deleted'];

export interface Belongings {
  readonly agent: TestAgent;
  /** Id of a resource of this person, by path parameter. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Path parameters that are no id: they name a part of the resource before them. */
export const PARTS: Readonly<Record<string, string>> = { config_version: '1' };

/** One of each kind of resource. A new kind needs a line here. */
export async function giveBelongings(app: TestApp, person: Person): Promise<Belongings> {
  const create = async (path: string, body: object): Promise<string> => {
    const reply = await person.api.post(path, body);
    if (reply.status !== 201)
      throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body.id;
  };
  const webhookId = await create('/webhooks', { url: 'http://127.0.0.1:9/', events: RARE_EVENTS });
  // Nobody listens on the discard port, so the attempt fails; it is kept all the same.
  await person.api.post(`/webhooks/${webhookId}/test`);
  const [delivery] = (await person.api.get(`/webhooks/${webhookId}/deliveries`)).body;
  const agent = await createAgent(app, person);
  const ids = {
    ...PARTS,
    user_id: person.id,
    agent_id: agent.id,
    deployment_id: await deploy(person, agent),
    key_id: await create('/api-keys', { name: 'a key' }),
    webhook_id: webhookId,
    delivery_id: delivery.id,
    lead_id: await create('/leads', { email: person.email }),
  };
  return { agent, ids };
}
