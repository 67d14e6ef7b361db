import { readFile } from 'node:fs/promises';
import { RULES } from '../../packages/conformance/src/checks/all-checks.js';
import { SCENARIOS } from '../../packages/conformance/src/scenarios/all-scenarios.js';
import { decided } from '../builders/approvals.js';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Bindings, PROTOCOL, RULES_PAGE, type Sample, samplesOf, samplesOfPages } from './protocol-page.js';

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
  const keys: string[] = [];
  let agentId: string;

  beforeAll(async () => {
    app = await startTestApp();
    person = await registerPerson(app);
  });

  afterAll(() => app.close());

  /** Credential for the placeholder in the page. */
  const credential = (authorization = '') => {
    if (authorization.includes('access token')) return person.accessToken;
    return keys[0]!;
  };

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

  it('has the needs of a correct agent within its first lines, and the fields on another page', () => {
    const lines = PROTOCOL.split('\n');
    expect(lines.findIndex((line) => line.startsWith('| 422 '))).toBeLessThan(FIRST_LINES);
    expect(lines.length).toBeLessThanOrEqual(202);
    expect(lines).not.toContain('## Fields');
  });

  it.each(titled)('shows the reply that the service really gives: %s', async (_, sample) => {
    const { request, status, reply } = sample;
    const { authorization, ...headers } = request.headers;
    // a person's step before it
    if (request.path === '/agents/runs/claim')
      await person.api.post(`/agents/${agentId}/runs`, {
        input: { question: 'How many invoices are open?' },
      });
    if (request.path.startsWith('/agents/approvals/')) {
      const [approval] = (await person.api.get('/approvals')).body;
      await decided(person, approval);
    }
    const client = app.api.as(credential(authorization));
    const answer = await client.request(request.method, bindings.filled({ path: request.path }).path, {
      body: bindings.filled(request.body),
      headers,
    });
    expect([answer.status, bindings.asInPage(reply, answer.body)]).toEqual([status, reply]);
    if (request.method === 'POST' && request.path === '/agents') {
      keys.push(answer.body.api_key);
      agentId = answer.body.id;
      // the person's next step in the diagram
      await person.api.post(`/agents/${answer.body.id}/deploy`);
    }
  });

  it('leads from every check to the section that explains it', () => {
    const lines = RULES_PAGE.split('\n').filter((line) =>
      /^- \[[^\]]+\]\([\w-]+\.md#[\w-]+\): <a id/.test(line),
    );
    const named = [...lines.join('\n').matchAll(/<a id="([\w-]+)"><\/a>`([\w-]+)`/g)];
    for (const [, anchor, id] of named) expect(anchor).toBe(id);
    expect(named.map(([, id]) => id).sort()).toEqual(RULES.map(({ id }) => id).sort());
  });

  it.each(['runtime-protocol', 'agent-keys', 'conformance'])(
    'has links to existing headings only: %s',
    async (name) => {
      const links = [...(await page(`${name}.md`)).matchAll(/\]\(([\w./-]*\.md)?#([^)]+)\)/g)];
      for (const [, target = `${name}.md`, anchor] of links)
        expect([target, anchorsOf(await page(target))]).toEqual([target, expect.arrayContaining([anchor])]);
    },
  );

  it('has scenarios of different names', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
  });
});

function page(name: string): Promise<string> {
  return readFile(`docs/${name}`, 'utf8');
}

function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => slug(title!));
  return [...headings, ...RULES.map(({ id }) => id)];
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');
}
