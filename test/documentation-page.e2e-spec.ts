import type { AddressInfo } from 'node:net';
import { createLogger } from '../src/config/logger.js';
import { readSettings } from '../src/config/settings.js';
import { createApp } from '../src/create-app.js';
import { ApiClient } from './harness/api-client.js';
import { ApiDescription } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { rawRequest } from './harness/raw-request.js';
import { until } from './harness/until.js';

let service: TestApp;

beforeAll(async () => {
  service = await startTestApp();
});

afterAll(() => service.close());

/** Addresses of the files that the page loads, as in `docs/start.js`. */
function filesOf(page: string): string[] {
  return [...page.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css|svg))"/g)].map(([, file]) => file!);
}

describe('The documentation page', () => {
  it('is at /docs with all files that it loads', async () => {
    const page = await service.api.get<string>('/docs');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.body).toContain('Agent control plane: API');
    expect(filesOf(page.body)).toHaveLength(4);
    for (const file of filesOf(page.body)) {
      const { status, headers } = await service.api.get(`/${file}`);
      expect([file, status, headers.get('cache-control')]).toEqual([file, 200, 'no-cache']);
      expect(headers.get('content-type')).toMatch(/^(text\/(javascript|css)|image\/svg\+xml)/);
    }
  });

  it('loads its files from the same folder when its address ends with a slash', async () => {
    const [plain, slashed] = await Promise.all(['/docs', '/docs/'].map((it) => service.api.get<string>(it)));
    expect(filesOf(slashed!.body).map((file) => `docs/${file}`)).toEqual(filesOf(plain!.body));
  });

  it('sends its program compressed, and not again while it has not changed', async () => {
    const { headers } = await rawRequest(service.url, { path: '/docs/reference.js' });
    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Accept-Encoding']);
    expect(Number(headers['content-length'])).toBeLessThan(1_600_000);
    const again = await service.api.get('/docs/reference.js', {
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect(again.status).toBe(304);
  });

  it.each(['bytes=5-2', 'bytes=-5', 'bytes=0-3', 'lines=1-2'])(
    'sends whole files when a request asks for %s',
    async (range) => {
      const path = '/docs/theme.css';
      const { text: whole } = await rawRequest(service.url, { path });
      const { status, text } = await rawRequest(service.url, { path, headers: { range } });
      expect([status, text]).toEqual([200, whole]);
    },
  );
});

describe('Without a database', () => {
  it('the document and its page are served', async () => {
    const settings = readSettings({ LOG_LEVEL: 'silent', DATABASE_URL: 'postgres://nowhere' });
    const app = await createApp({
      settings,
      logger: createLogger(settings),
      locateDatabase: () => Promise.reject(new Error('there is none')),
    });
    await app.listen(0, '127.0.0.1');
    try {
      const client = new ApiClient(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`);
      expect((await client.get('/openapi.json')).body).toEqual(ApiDescription.committed().document);
      expect((await client.get('/docs')).status).toBe(200);
      expect((await client.get('/')).body).toMatchObject({
        openapi_url: expect.stringMatching(/\/openapi\.json$/),
      });
      expect((await client.get('/agents')).status).toBe(503);
      // the database was searched and not found, so nothing is being initialized
      await until(async () => (await client.get('/ready')).body.database === 'unavailable');
      expect((await client.get('/ready')).body.error).toBe('The database is unavailable');
    } finally {
      await app.close();
    }
  });
});
