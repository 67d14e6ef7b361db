import { ERROR_FIELDS } from '../harness/error-shape.js';
import { exchangeBytes } from '../harness/raw-request.js';
import { startTestWeb, type TestWeb } from '../harness/test-web.js';

let web: TestWeb;

beforeAll(async () => {
  web = await startTestWeb({ SERVICE_URL: 'http://127.0.0.1:1' });
});

afterAll(() => web.close());

const login = (headers: string) =>
  `POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n`;

describe("A request that the web server can't parse", () => {
  it.each<[string, string, number]>([
    ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\nConnection: close\r\n\r\n', 400],
    ['another Expect', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: b\r\nConnection: close\r\n\r\n', 417],
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['large headers', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a tunnel', 'CONNECT a:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['no target', 'GET http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    ['a large body', login('Content-Length: 9999999\r\n'), 413],
    ['a large body that is asked for', login('Content-Length: 9999999\r\nExpect: 100-continue\r\n'), 413],
    ['a method', 'PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 405],
  ])('is refused in the shape of every error: %s', async (_, bytes, status) => {
    const [head = '', text = ''] = (await exchangeBytes(web.url, bytes)).split('\r\n\r\n');
    const body = JSON.parse(text);
    expect(Object.keys(body)).toEqual(ERROR_FIELDS);
    expect(body.statusCode).toBe(status);
    expect(head).toMatch(`HTTP/1.1 ${status} ${body.error}`);
    expect(head).toMatch(new RegExp(`X-Request-Id: ${body.request_id}`, 'i'));
    expect(head).toMatch(/\r\nConnection: close/i);
  });
});
