import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Svc } from './svc.js';

/** Answers as the service does: `test/documentation-page.e2e-spec.ts` shows that it serves this document. */
let server: Server;
let svc: Svc;

beforeAll(async () => {
  const document = readFileSync('openapi.json');
  server = createServer(({ url, headers }, response) => {
    const isKnown = url === '/openapi.json' && headers.authorization === undefined;
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isKnown ? document : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  svc = await Svc.at(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(async () => {
  await svc.removeHome();
  await new Promise((resolve) => server.close(resolve));
});

describe('svc explain', () => {
  it('asks the service for its document, without a login', async () => {
    const names = (await svc.succeeds(['explain'])).split('\n');
    expect(names).toEqual(expect.arrayContaining(['agent', 'config', 'run', 'webhook']));
    expect(await svc.succeeds(['explain', 'agent.labels'])).toContain('at most 32 entries');
    expect(await svc.json(['explain', 'agent.name'])).toMatchObject({ type: 'string', fields: [] });
  });

  it('names the nearest resource or field for a word that there is not', async () => {
    const refusal = async (field: string) => (await svc.run(['explain', field])).stderr;
    expect(await refusal('agnet')).toBe(
      'Error: Unknown resource "agnet" (did you mean "agent"?): see "svc explain"\n',
    );
    expect(await refusal('agent.health.stat')).toBe(
      'Error: agent.health has no field "stat" (did you mean "state"?): see "svc explain agent.health"\n',
    );
    expect(await refusal('agent.nothing')).toBe(
      'Error: agent has no field "nothing": see "svc explain agent"\n',
    );
  });

  it('explains a config where no service is', async () => {
    const nowhere = { env: { SERVICE_API_URL: 'http://127.0.0.1:9' } };
    const text = await svc.succeeds(['explain', 'config.restart'], nowhere);
    expect(text).toMatch(/give_up_after +integer +0 to 1000000/);
    expect((await svc.run(['explain', 'agent'], nowhere)).code).toBe(4);
  });
});
