import { readFile } from 'node:fs/promises';
import { RULES } from '../../packages/conformance/src/checks/all-checks.js';
import { SECTIONS } from '../../packages/conformance/src/checks/sections.js';
import { SCENARIOS } from '../../packages/conformance/src/scenarios/all-scenarios.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Bindings, PROTOCOL, type Sample, samplesOf, samplesOfPages } from './protocol-page.js';

const samples = samplesOfPages();
/** Number of lines within which a correct agent's needs are described. */
const FIRST_LINES = 150;
const titled = samples.map((sample, index): [string, Sample] => [
  `${index + 1}: ${sample.request.method} ${sample.request.path} -> ${sample.status}`,
  sample,
]);

describe('The page on the runtime protocol', () => {
  let app: TestApp;
  let person: Person;
  const bindings = new Bindings();
  let key: string;
  let agentId: string;

  beforeAll(async () => {
    app = await startTestApp();
    person = await registerPerson(app);
    const { body } = await person.api.post('/agents', {
      name: 'invoice-reader',
      config: '{"command": ["node", "reader.js"]}',
    });
    key = body.api_key;
    agentId = body.id;
    await person.api.post(`/agents/${agentId}/deploy`);
  });

  afterAll(() => app.close());

  it('shows a sample of every call within its first lines', () => {
    const first = samplesOf(PROTOCOL.split('\n').slice(0, FIRST_LINES).join('\n'));
    const calls = first.map(({ request }) => `${request.method} ${request.path.replace(/\?.*/, '')}`);
    expect([...new Set(calls)].sort()).toEqual([
      'GET /agents/commands',
      'POST /agents/commands/acknowledge',
      'POST /agents/heartbeat',
      'POST /agents/logs',
      'POST /agents/metrics',
      'POST /agents/register',
    ]);
  });

  it('has the needs of a correct agent within its first lines', () => {
    const needs = PROTOCOL.split('\n').slice(0, FIRST_LINES).join('\n');
    expect(needs).toContain('\n- **422**: ');
  });

  it.each(titled)('shows the reply that the service really gives: %s', async (_, sample) => {
    const { request, status, reply } = sample;
    // what a person does before it
    if (request.path === '/agents/runs/claim')
      await person.api.post(`/agents/${agentId}/runs`, {
        input: { question: 'How many invoices are open?' },
      });
    const client = app.api.as(key);
    const answer = await client.request(request.method, bindings.filled({ path: request.path }).path, {
      body: bindings.filled(request.body),
      headers: request.headers,
    });
    expect([answer.status, bindings.asInPage(reply, answer.body)]).toEqual([status, reply]);
  });

  it('leads from each check to one section', () => {
    expect(Object.values(SECTIONS).flat().sort()).toEqual(RULES.map(({ id }) => id).sort());
  });

  it.each(Object.keys(SECTIONS))('has the section to which checks lead: %s', async (section) => {
    const [file = '', anchor] = section.split('#');
    expect(anchorsOf(await readFile(`docs/${file}`, 'utf8'))).toContain(anchor);
  });

  it('has scenarios of different names', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  });
});

function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => slug(title!));
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}
