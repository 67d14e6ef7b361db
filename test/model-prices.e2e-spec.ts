import { createAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { exportSpans, llmSpan, newTraceId } from './builders/traces.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let operator: Person;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  operator = await registerOperator(app);
  person = await registerPerson(app);
});

afterAll(() => app.close());

const put = (who: Person, body: object) => who.api.request('PUT', '/model-prices', { body });
const PRICES = { input_tokens: 4, output_tokens: 8 };

/** The cost of a call of a million tokens each way. */
async function costOf(
  model: string,
  attributes: Record<string, string> = {},
  startedAt = Date.now() - 1_000,
) {
  const agent = await createAgent(app, person);
  const traceId = newTraceId();
  await exportSpans(agent, [
    llmSpan({ traceId, model, startedAt, input: 1_000_000, output: 1_000_000, attributes }),
  ]);
  const { body } = await person.api.get(`/runs?agent_id=${agent.id}`);
  return [body[0].usage.cost_usd, body[0].usage.uncosted_calls];
}

describe('The price of a model', () => {
  it('is that of an operator, before the public one, for names with any suffix', async () => {
    expect(await costOf('gpt-4o')).toEqual(['12.500000', 0]);
    const valid = { valid_from: '2026-01-01T00:00:00Z' };
    const set = await put(operator, { model: 'gpt-4o*', usd_per_million: PRICES, ...valid });
    expect(set).toMatchObject({
      status: 200,
      body: {
        provider: null,
        model: 'gpt-4o*',
        usd_per_million: {
          input_tokens: '4.000000',
          cache_read_tokens: '4.000000',
          output_tokens: '8.000000',
        },
      },
    });
    expect(await costOf('gpt-4o')).toEqual(['12.000000', 0]);
    expect(await costOf('gpt-4o-mini')).toEqual(['12.000000', 0]);
    expect((await operator.api.delete(`/model-prices/${set.body.id}`)).status).toBe(204);
    expect(await costOf('gpt-4o')).toEqual(['12.500000', 0]);
  });

  it('is for one provider where it names one, and for calls from its time on', async () => {
    const model = 'home-made';
    expect(await costOf(model)).toEqual(['0.000000', 1]);
    await put(operator, { provider: 'openai', model, usd_per_million: PRICES, valid_from: '2026-01-01' });
    await put(operator, {
      ...{ provider: 'openai', model, valid_from: new Date(Date.now() - 3_600_000).toISOString() },
      usd_per_million: { input_tokens: 1, output_tokens: 1 },
    });
    expect(await costOf(model)).toEqual(['2.000000', 0]);
    expect(await costOf(model, {}, Date.now() - 2 * 3_600_000)).toEqual(['12.000000', 0]);
    expect(await costOf(model, { 'gen_ai.provider.name': 'another' })).toEqual(['0.000000', 1]);
  });

  it('takes the place of one with the same provider, model and time, and is in the audit log', async () => {
    const body = { model: 'twice', valid_from: '2026-01-01', usd_per_million: PRICES };
    const first = await put(operator, body);
    const second = await put(operator, { ...body, usd_per_million: { input_tokens: 0, output_tokens: 0 } });
    const { body: all } = await person.api.get('/model-prices');
    expect(all.filter(({ model }: any) => model === 'twice')).toMatchObject([
      { id: first.body.id, usd_per_million: { input_tokens: '0.000000' } },
    ]);
    expect(second.body.id).toBe(first.body.id);
    const { body: entries } = await operator.api.get(`/audit?target_id=${first.body.id}`);
    expect(entries.map(({ action }: any) => action)).toEqual(['model_price.put', 'model_price.put']);
  });

  it('is set only by operators', async () => {
    expectError(await put(person, { model: 'x', usd_per_million: PRICES }), 403);
    expectError(await person.api.delete(`/model-prices/${person.id}`), 403);
    expectError(await operator.api.delete(`/model-prices/${person.id}`), 404);
  });

  it.each<[string, object]>([
    ['model may have a * only at its end', { model: 'a*b' }],
    ['usd_per_million must be an object', { usd_per_million: null }],
    [
      'usd_per_million.input_tokens must be a number from 0 to 1000000',
      { usd_per_million: { input_tokens: -1, output_tokens: 1 } },
    ],
  ])('is refused: %s', async (message, wrong) => {
    const reply = await put(operator, { model: 'x', usd_per_million: PRICES, ...wrong });
    expectError(reply, 422);
    expect(reply.body.message.join('; ')).toContain(message);
  });
});
