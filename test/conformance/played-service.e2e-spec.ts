import { newIdentity, PlayedService } from '../../packages/conformance/src/service/played-service.js';

let service: PlayedService;

beforeEach(async () => {
  service = new PlayedService(newIdentity());
  await service.open(0);
});

afterEach(() => service.close());

async function heartbeat(body: object) {
  const reply = await fetch(`${service.url}/agents/heartbeat`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.identity.key}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const id = '01997f3a-2222-7c11-8000-000000000001';

describe('The played service', () => {
  it('ignores a report that breaks a rule, as the service does, and names the rule', async () => {
    const deployments = [
      { deployment_id: id, status: 'ready' },
      { deployment_id: id, ready_replicas: -1 },
    ];
    const { status, body } = await heartbeat({ deployments });
    expect(status).toBe(200);
    expect(body.refused).toEqual([
      {
        field: 'deployments.1.ready_replicas',
        message: 'deployments.1.ready_replicas must be >= 0',
        code: 'invalid_value',
      },
    ]);
    expect(service.calls[0]!.problems).toHaveLength(1);
  });

  it('refuses a heartbeat that breaks a rule itself', async () => {
    const { status, body } = await heartbeat({ status: 'splendid', deployments: [{ deployment_id: 7 }] });
    expect([status, body]).toMatchObject([422, { code: 'validation_failed' }]);
  });

  it('asks for a registration until it gets one', async () => {
    service.conditions.asksToRegister = true;
    expect((await heartbeat({})).body).toMatchObject({ status: 'ok', register: true });
    await fetch(`${service.url}/agents/register`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.identity.key}`, connection: 'close' },
    });
    expect((await heartbeat({})).body).not.toHaveProperty('register');
  });
});
