import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expectError } from './harness/error-shape.js';
import { asApiReply, startTestWeb, type TestWeb, type WebClient } from './harness/test-web.js';

let web: TestWeb;
let browser: WebClient;

beforeAll(async () => {
  web = await startTestWeb({
    SERVICE_URL: 'http://127.0.0.1:1',
    PUBLIC_URL: 'http://agents.example.com/"><script>',
  });
  browser = web.browser();
});

afterAll(() => web.close());

/** A policy as `{ directive: [sources] }`. */
function policyOf(header: unknown): Record<string, string[]> {
  const directives = String(header)
    .split(';')
    .map((it) => it.trim().split(' '));
  return Object.fromEntries(directives.map(([name, ...sources]) => [name, sources]));
}

const ASSETS = 'dist/src/web/ui/assets';

/** A script and all that it imports before it runs. */
function withImports(script: string, seen = new Set<string>()): Set<string> {
  if (seen.has(script)) return seen;
  seen.add(script);
  const source = readFileSync(`${ASSETS}/${script}`, 'utf8');
  for (const [, name] of source.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) {
    withImports(name!, seen);
  }
  return seen;
}

const scriptOf = (html: string) => /type="module"[^>]* src="(\/assets\/[^"]+\.js)"/.exec(html)![1]!;

describe('A page of the dashboard', () => {
  it.each([
    '/',
    '/agents',
    `/agents/01920000-0000-7000-8000-000000000000`,
    '/sign-in?next=%2Fagents',
    '/a/b/',
  ])('is the same document at every address: %s', async (path) => {
    const reply = await browser.get(path, { headers: { accept: 'text/html' } });
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(reply.text).toContain('<div id="root">');
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  it("has a Content-Security-Policy that allows only the dashboard's needs", async () => {
    const reply = await browser.get('/');
    expect(policyOf(reply.headers['content-security-policy'])).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", expect.stringMatching(/^'nonce-[0-9a-f]{32}'$/)],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'"],
      'connect-src': ["'self'"],
      'manifest-src': ["'self'"],
      'frame-ancestors': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
    });
    expect(reply.headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
    expect(reply.headers['x-powered-by']).toBeUndefined();
    expect(reply.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style(?![^>]*\bnonce=)|\son\w+=|\sstyle=/);
  });

  it('has its frame, with no style that the policy forbids, if the request has the cookie of a session', async () => {
    const cookie = `svc_signed_in_${new URL(web.url).port}=true`;
    const { headers, text } = await browser.get('/agents', { headers: { cookie } });
    const nonce = /'nonce-([\w-]+)'/.exec(String(headers['content-security-policy']))![1]!;
    expect(text).toContain('href="/runs"');
    expect(text.match(/<h1[^>]*>[^<]*/g)).toEqual([expect.stringMatching(/>Agents$/)]);
    expect(text.match(/<style[^>]*>/g)!.every((tag) => tag.includes(`nonce="${nonce}"`))).toBe(true);
    expect(text).not.toMatch(/\sstyle=|\son\w+=|<script(?![^>]*\bsrc=)/);
    expect((await browser.get('/agents')).text).toMatch(/<h1[^>]*>Sign in</);
  });

  it('has a new nonce in each reply', async () => {
    const nonces = await Promise.all(
      ['/', '/agents', '/'].map(async (path) => {
        const { headers, text } = await browser.get(path);
        const nonce = /'nonce-([\w-]+)'/.exec(String(headers['content-security-policy']))![1]!;
        expect(text).toContain(`<meta name="csp-nonce" content="${nonce}"`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(3);
  });

  it("contains the service's public address, escaped", async () => {
    const { text } = await browser.get('/');
    expect(text).toContain('content="http://agents.example.com/&#34;&#62;&#60;script&#62;"');
    expect(text).not.toMatch(/__[A-Z_]+__/);
  });

  it.each([
    '/index.html',
    '/index.html.br',
    '/favicon.ico',
    '/assets',
    '/assets/',
    '/assets/gone-12345678.js',
    '/../package.json',
    '/..%2f..%2fmain.js',
    '/%2e%2e/main.js',
    '/assets/../../main.js',
    '/.env',
    '/.git/HEAD',
    '//evil.example.com',
    '/%00',
    '/a%',
  ])('does not exist at %s', async (path) => {
    const reply = await browser.get(path);
    expectError(asApiReply(reply), 404);
  });

  it('is returned only when HTML is accepted, and only to GET and HEAD', async () => {
    const image = await browser.get('/agents', { headers: { accept: 'image/avif,image/png' } });
    expectError(asApiReply(image), 404);
    expectError(asApiReply(await browser.post('/agents', {})), 405);
    expect((await browser.request('HEAD', '/')).status).toBe(200);
  });
});

describe('A file of the dashboard', () => {
  it.each(['bytes=5-2', 'bytes=-5'])('is sent whole when a request asks for %s', async (range) => {
    const { text: whole } = await browser.get('/icon.svg');
    const { status, text } = await browser.get('/icon.svg', { headers: { range } });
    expect([status, text]).toEqual([200, whole]);
  });

  it('is cached by browsers permanently, and is compressed', async () => {
    const path = scriptOf((await browser.get('/')).text);
    const plain = await fetch(`${web.url}${path}`, { headers: { 'accept-encoding': 'identity' } });
    const text = Buffer.from(await plain.arrayBuffer());
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toMatch(/^(text|application)\/javascript/);
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const body = await compressed(path, encoding);
      expect(body.length).toBeLessThan(text.length / 2);
      expect(decompress(body).equals(text)).toBe(true);
    }
  });

  it('belongs to at most six with less than 235 KB for the first page', async () => {
    const { text } = await browser.get('/');
    const names = [...text.matchAll(/\/assets\/([\w.-]+\.(?:js|css))"/g)].map(([, name]) => name!);
    expect(names.some((name) => name.endsWith('.css'))).toBe(true);
    expect(names.length).toBeLessThanOrEqual(6);
    const sizes = names.map((name) => gzipSync(readFileSync(`${ASSETS}/${name}`)).length);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(235_000);
  });

  it('belongs to at most five scripts of a page', () => {
    const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
    expect(scripts.filter((name) => name.includes('-page-')).length).toBeGreaterThan(10);
    for (const script of scripts) expect(withImports(script).size).toBeLessThanOrEqual(5);
  });

  it('is served for every built script and style sheet', async () => {
    const names = readdirSync(ASSETS).filter((name) => /\.(js|css)$/.test(name));
    for (const name of names) {
      expect([name, (await browser.request('HEAD', `/assets/${name}`)).status]).toEqual([name, 200]);
    }
  });
});

/** The bytes as they were sent: `fetch` would unpack them. */
function compressed(path: string, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${web.url}${path}`, { headers: { 'accept-encoding': encoding }, agent: false });
    sent.on('error', reject);
    sent.on('response', (reply) => {
      const chunks: Buffer[] = [];
      expect([reply.headers['content-encoding'], reply.headers.vary]).toEqual([encoding, 'Accept-Encoding']);
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('end', () => resolve(Buffer.concat(chunks)));
    });
    sent.end();
  });
}

it("The dashboard's health check returns 200 whether the service is reachable or not", async () => {
  const reply = await browser.get('/healthz');
  expect([reply.status, reply.body]).toEqual([200, { status: 'ok' }]);
});

it('The dashboard keeps connections open longer than proxies, so that none closes during a request', async () => {
  const reply = await fetch(`${web.url}/healthz`);
  const [, seconds] = /timeout=(\d+)/.exec(reply.headers.get('keep-alive') ?? '') ?? [];
  expect(Number(seconds)).toBeGreaterThan(60);
});
