import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { OpenedPage, type Opening } from './first-content.js';
import { PAGES } from './paths.js';
import { openStand, type Stand } from './stand.js';

/**
 * `npm run bench:pages [-- agents ...]`: how long each page of the dashboard takes with an empty cache, on a second visit, and from
 * another page, with 40 and 2,000 agents. Needs Chromium, as the browser tests do.
 *
 * First content of a load is the browser's first contentful paint: bars, heading and placeholders. From another page it is the
 * complete first screen, because the page before stays until then.
 */
const CHROMIUM =
  process.env.CHROMIUM_PATH ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
/** The most that a page may take to its first content on a quiet machine; milliseconds. */
const WANTED_MS = 300;
const SCREEN = { width: 1440, height: 900 };
/** Chromium keeps compiled code from the third visit on. */
const UNTIL_COMPILED = 3;
const USUAL_SIZES = ['40', '2000'];
const LOADS = ['cold', 'warm'] as const;
const HEADINGS = [
  'agents',
  'page',
  ...LOADS.flatMap((way) => [`${way}: first content, median (worst) ms`, 'complete screen']),
  'within: complete screen',
  'warm: CPU ms of the page',
  'warm: requests (in a row)',
];

type Times = Readonly<Record<(typeof LOADS)[number] | 'within', readonly Opening[]>>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, page: { type: 'string', multiple: true } },
});
const rounds = Number(values.rounds);
const pages = PAGES.filter(({ path }) => values.page?.includes(path) ?? true);

async function main(): Promise<void> {
  const browser = await chromium.launch({
    ...(CHROMIUM && { executablePath: CHROMIUM }),
    args: ['--no-sandbox'],
  });
  print(HEADINGS);
  print(HEADINGS.map(() => '---'));
  for (const agents of positionals.length > 0 ? positionals : USUAL_SIZES) {
    const stand = await openStand(Number(agents));
    try {
      const session = await signIn(browser, stand);
      // a browser profile with an empty cache
      const visitor = () =>
        browser.newContext({ baseURL: stand.url, storageState: session, viewport: SCREEN });
      for (const { path, address } of pages) {
        print([agents, `/${path}`, ...cellsOf(await timesOf(visitor, address(stand.ids)))]);
      }
    } finally {
      await stand.close();
    }
  }
  await browser.close();
}

type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

async function timesOf(visitor: () => Promise<BrowserContext>, address: string): Promise<Times> {
  const cold = await repeated(rounds, async () => {
    const context = await visitor();
    const opening = await (await OpenedPage.of(context)).load(address);
    await context.close();
    return opening;
  });
  const context = await visitor();
  const opened = await OpenedPage.of(context);
  await repeated(UNTIL_COMPILED, () => opened.load(address));
  const warm = await repeated(rounds, () => opened.load(address));
  const elsewhere = address === '/account' ? '/webhooks' : '/account';
  await opened.load(elsewhere);
  const within = await repeated(rounds, async () => {
    const opening = await opened.navigate(address);
    await opened.navigate(elsewhere);
    return opening;
  });
  await context.close();
  return { cold, warm, within };
}

async function repeated<Result>(times: number, once: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < times) results.push(await once());
  return results;
}

/** One session for all visitors: the service limits how often an account signs in. */
async function signIn(browser: Browser, { url, login }: Stand): Promise<Session> {
  const context = await browser.newContext({ baseURL: url });
  const reply = await context.request.post('/api/auth/login', { headers: { origin: url }, data: login });
  if (!reply.ok()) throw new Error(`Signing in answered ${reply.status()}: ${await reply.text()}`);
  const session = await context.storageState();
  await context.close();
  return session;
}

function cellsOf(times: Times): string[] {
  const middle = (way: keyof Times, of: (opening: Opening) => number) =>
    Math.round(median(times[way].map(of)));
  const cell = (way: keyof Times, of: (opening: Opening) => number) =>
    `${middle(way, of)} (${Math.round(Math.max(...times[way].map(of)))})`;
  const marked = (way: keyof Times, of: (opening: Opening) => number) =>
    `${cell(way, of)}${middle(way, of) > WANTED_MS ? ' **slow**' : ''}`;
  return [
    ...LOADS.flatMap((way) => [marked(way, ({ paintMs }) => paintMs), cell(way, ({ ms }) => ms)]),
    marked('within', ({ ms }) => ms),
    `${middle('warm', ({ cpuMs }) => cpuMs)}`,
    `${middle('warm', ({ requests }) => requests)} (${middle('warm', ({ inARow }) => inARow)})`,
  ];
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

await main();
process.exit();
