import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Svc } from './svc.js';

/** Answers `GET /` as the service does, which `test/health.e2e-spec.ts` shows. */
let server: Server;
let told: string | null;
let svc: Svc;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ name: 'agent-control-plane', version: '1.0.0', web_url: told }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  svc = await Svc.at(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

afterAll(async () => {
  await svc.removeHome();
  await new Promise((resolve) => server.close(resolve));
});

describe('svc open', () => {
  it("prints the service's address, without a login", async () => {
    told = 'http://127.0.0.1:3100';
    expect(await svc.succeeds(['open'])).toBe('http://127.0.0.1:3100/\n');
  });

  it('prefers SERVICE_WEB_URL', async () => {
    told = 'http://127.0.0.1:3100';
    const env = { SERVICE_WEB_URL: 'https://control.example.com' };
    expect(await svc.succeeds(['open'], { env })).toBe('https://control.example.com/\n');
  });

  it('names the setting when the service knows no address', async () => {
    told = null;
    const { code, stderr } = await svc.run(['open']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Error: The dashboard of .* is not known: set WEB_PUBLIC_URL/);
  });

  it('opens web pages only', async () => {
    told = 'file:///etc/passwd';
    expect(await svc.run(['open'])).toMatchObject({ code: 2, stdout: '' });
  });
});
