import { globSync, readFileSync } from 'node:fs';
import { readTable } from '../guide/tables.mjs';
import { expectError } from './harness/error-shape.js';
import { asApiReply, startTestWeb, type TestWeb, type WebClient } from './harness/test-web.js';

const BUILT = 'guide/dist';
const BASE = '/docs/guide/';

/** Documents of the built site, by the address of each. */
const documents = new Map(
  globSync('**/*.html', { cwd: BUILT }).map((file) => [
    BASE + file.replace(/(^|(?<=\/))index\.html$|\.html$/, ''),
    readFileSync(`${BUILT}/${file}`, 'utf8'),
  ]),
);

let web: TestWeb;
let browser: WebClient;

beforeAll(async () => {
  web = await startTestWeb({ SERVICE_URL: 'http://127.0.0.1:1', PUBLIC_URL: 'https://agents.example.com' });
  browser = web.browser();
});

afterAll(() => web.close());

/** Path and anchor to which a link of the page leads. */
const targetOf = (address: string, link: string) => {
  const { pathname, hash } = new URL(link, `http://localhost${address}`);
  return [pathname, hash.slice(1)] as const;
};

/** Values of an attribute in a document. */
function valuesOf(html: string, attribute: string): string[] {
  return [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value]) => value!);
}

describe('The site of the documentation', () => {
  it('has a page for each file below docs, with the title of the file', () => {
    const files = globSync('docs/**/*.{md,mmd}');
    expect(files.length).toBeGreaterThan(50);
    for (const file of files) {
      const address = BASE + file.replace(/^docs\//, '').replace(/README\.md$|\.(md|mmd)$/, '');
      const [, title = ''] = /^(?:#|title:) (.+)$/m.exec(readFileSync(file, 'utf8'))!;
      const shown = /<h1[^>]*>(.*?)<\/h1>/.exec(documents.get(address) ?? '')?.[1] ?? '';
      const plain = shown
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&');
      expect([file, plain]).toEqual([file, title.replaceAll('`', '')]);
    }
  });

  it('has a page for each table below docs, with every row under the heading of its group', async () => {
    const files = globSync('docs/*.tsv');
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const { columns, rows } = readTable(readFileSync(file, 'utf8'));
      const { status, text: html } = await browser.get(BASE + file.replace(/^docs\/(.*)\.tsv$/, '$1-table'));
      expect([file, status]).toEqual([file, 200]);
      for (const [group, its] of Map.groupBy(rows, (row) => row[columns[0]!]!)) {
        const [, section = ''] = html.split(`>${group}</h2>`);
        expect(section.split('</table>')[0]!.split('<tr>').length).toBe(its.length + 2);
      }
    }
  });

  it('leads with every link to a page, a heading or a file that exists', async () => {
    const others = new Set<string>();
    const broken: string[] = [];
    for (const [address, html] of documents) {
      for (const link of [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]) {
        if (/^https?:/.test(link)) continue;
        // the site is also served below a path
        if (link.startsWith('/')) broken.push(`${address}: ${link}`);
        const [path, anchor] = targetOf(address, link);
        const target = documents.get(path);
        if (!target) others.add(path);
        else if (anchor !== '' && !valuesOf(target, 'id').includes(decodeURIComponent(anchor)))
          broken.push(`${address}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
    const missing = [];
    for (const path of others) {
      const { status } = await browser.request('HEAD', path);
      if (status >= 400) missing.push(path);
    }
    expect(missing).toEqual([]);
    expect(others.size).toBeLessThan(12);
  });

  it('lists in its navigation every page that the first page links to, and no page twice', () => {
    const [, list = ''] = /<nav id="pages"[^>]*>(.*?)<\/nav>/.exec(documents.get(`${BASE}cli`)!)!;
    const listed = valuesOf(list, 'href').map((link) => targetOf(`${BASE}cli`, link)[0]);
    expect(listed).toEqual([...new Set(listed)]);
    const [, main = ''] = /<main[^>]*>([^]*)<\/main>/.exec(documents.get(BASE)!)!;
    const linked = valuesOf(main, 'href')
      .map((link) => targetOf(BASE, link)[0])
      .filter((it) => documents.has(it) && it !== BASE);
    expect(linked.filter((it) => !listed.includes(it))).toEqual([]);
    expect(listed.length).toBeGreaterThan(40);
  });

  it('has no script and no style in a document, which the policy would refuse', () => {
    for (const [address, html] of documents) {
      const code = /<script(?![^>]*\bsrc=)|<style|<[^>]*\s(?:on\w+|style)="/.exec(html);
      expect([address, code?.[0]]).toEqual([address, undefined]);
    }
  });

  it('shows each diagram as a picture with a name, without a font from elsewhere', () => {
    const diagrams = globSync(['docs/*.md', 'docs/diagrams/*.mmd']).flatMap((file) =>
      file.endsWith('.mmd') ? [file] : readFileSync(file, 'utf8').match(/^```mermaid$/gm),
    );
    const pictures = [...documents.values()].flatMap((html) =>
      html.match(/<svg role="img" aria-label="Dia/g),
    );
    const count = (all: readonly unknown[]) => all.filter(Boolean).length;
    expect([count(pictures), count(diagrams) > 5]).toEqual([count(diagrams), true]);
    const [style] = globSync(`${BUILT}/assets/*.css`);
    expect(readFileSync(style!, 'utf8')).not.toContain('http');
  });
});

describe('The web server', () => {
  it('sends pages of the documentation with the policy of the dashboard, to be checked at each visit', async () => {
    const { status, headers } = await browser.get('/docs/guide/cli');
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toMatch(/default-src 'none';script-src 'self';/);
    const again = await browser.get('/docs/guide/cli', { headers: { 'if-none-match': headers.etag! } });
    expect(again.status).toBe(304);
  });

  it.each(globSync(`${BUILT}/assets/*.{js,css,json}`))(
    'lets browsers keep a file for ever: %s',
    async (file) => {
      const address = file.replace(`${BUILT}/`, BASE);
      const { status, headers } = await browser.get(address, { headers: { 'accept-encoding': 'br' } });
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
      const isLong = Number(readFileSync(file).length) > 1_024;
      expect(headers['content-encoding']).toBe(isLong ? 'br' : undefined);
    },
  );

  it.each(['nowhere', 'cli/', '.built-from', '..%2f..%2fpackage.json', '%2e%2e/build.mjs', 'assets', '%00'])(
    'answers 404 for %s below the documentation',
    async (path) => {
      const reply = await browser.get(BASE + path);
      expectError(asApiReply(reply), 404);
    },
  );

  it.each(['bytes=5-2', 'bytes=0-1999', 'bytes=99999999-'])(
    'sends whole pages when a request asks for %s',
    async (range) => {
      const { text: whole } = await browser.get(BASE);
      const { status, headers, text } = await browser.get(BASE, { headers: { range } });
      expect([status, headers['content-range'], text]).toEqual([200, undefined, whole]);
    },
  );

  it('answers 412 when a page is not of the version that the request names', async () => {
    const headers = { 'if-match': '"another"' };
    expectError(asApiReply(await browser.get(BASE, { headers })), 412);
  });

  it('refuses a change of the documentation with 405', async () => {
    expectError(asApiReply(await browser.post('/docs/guide/cli', {})), 405);
  });

  it.each([
    ['/docs', 'https://agents.example.com/docs'],
    ['/docs/guide', '/docs/guide/'],
  ])('sends a visitor of %s to %s', async (path, location) => {
    const { status, headers } = await browser.get(path);
    expect([status < 400 && status >= 300, headers.location]).toEqual([true, location]);
  });
});
