import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
import { createWebhook, deliveriesOf, stayOffTheNet, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: WEBHOOK_SETTINGS });
  stayOffTheNet(app);
});

beforeEach(async () => {
  person = await registerPerson(app);
});

afterAll(() => app.close());

const URL = 'http://127.0.0.1:9/';
const INPUT = { question: 'How many?' };
const OUTPUT = { answer: 42 };

/** An agent answers a question. */
async function answer(): Promise<void> {
  const worker = await createWorker(app, person);
  const { id } = await ask(person, worker, { input: INPUT });
  await claim(worker);
  await tell(worker, { run_id: id, status: 'succeeded', output: OUTPUT });
}

/** The bodies that a webhook is sent, oldest first. */
const payloadsOf = async (id: string): Promise<string[]> =>
  (await deliveriesOf(person, id)).map(({ payload }) => payload).reverse();

describe('Messages about runs', () => {
  it('have the input and output for webhooks that ask for them, and for no other', async () => {
    const plain = await createWebhook(person, URL, { events: ['run.*'] });
    const complete = await createWebhook(person, URL, { events: ['run.*'], include_payloads: true });
    const chat = await createWebhook(person, URL, {
      events: ['run.*'],
      include_payloads: true,
      format: 'slack',
    });
    await answer();
    const runsOf = async (id: string) =>
      (await payloadsOf(id)).map((payload) => JSON.parse(payload).data.run);
    expect(await runsOf(complete.id)).toEqual([
      expect.objectContaining({ status: 'queued', input: INPUT, output: null }),
      expect.objectContaining({ status: 'running', input: INPUT, output: null }),
      expect.objectContaining({ status: 'succeeded', input: INPUT, output: OUTPUT }),
    ]);
    const short = await runsOf(plain.id);
    expect(short).toHaveLength(3);
    for (const run of short) {
      expect(run).not.toHaveProperty('input');
      expect(run).not.toHaveProperty('output');
    }
    const chats = await payloadsOf(chat.id);
    expect(chats).toHaveLength(3);
    expect(chats.join()).not.toContain('How many?');
  });

  it('have them from the next event on when the webhook is changed', async () => {
    const { id } = await createWebhook(person, URL, { events: ['run.succeeded'] });
    await answer();
    const change = await person.api.patch(`/webhooks/${id}`, { include_payloads: true });
    expect(change.body).toMatchObject({ include_payloads: true });
    expect((await person.api.get(`/webhooks/${id}`)).body).toMatchObject({ include_payloads: true });
    await answer();
    const outputs = (await payloadsOf(id)).map((payload) => JSON.parse(payload).data.run.output);
    expect(outputs).toEqual([undefined, OUTPUT]);
    const [entry] = (await person.api.get('/audit?action=webhook.update')).body;
    expect(entry.details).toMatchObject({ changed: ['include_payloads'] });
  });

  it('have them for no webhook of another project', async () => {
    const stranger = await registerPerson(app);
    const { id } = await createWebhook(stranger, URL, { events: ['run.*'], include_payloads: true });
    const plain = await createWebhook(person, URL, { events: ['run.*'] });
    await answer();
    expect(await deliveriesOf(stranger, id)).toEqual([]);
    expect((await payloadsOf(plain.id)).join()).not.toContain('How many?');
  });
});
