import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import { until } from '../harness/until.js';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
/** The same browser without windows, which takes half of the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** `CHROMIUM_PATH` overrides the path. */
const EXECUTABLE = process.env.CHROMIUM_PATH ?? (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM);

/** Time limit for each step of a browser, on a machine with other work to do; milliseconds. */
const STEP_PATIENCE_MS = 60_000;

/** Directory of the screenshots; without it none is taken. */
const SCREENSHOTS = process.env.SCREENSHOT_DIR;

export const takesPictures = SCREENSHOTS !== undefined;

/**
 * No sandbox, which root can't have; no process for an unused GPU; no requests to Google. One process for all pages of a
 * context, because each new one compiles the dashboard again: a limit of one process did not have this effect, and Chromium
 * took a quarter more processor time for the pages of projects. A suite ends before optimized code pays: without its
 * compilers, and without threads for garbage collection, Chromium took 11 % less for these pages, and 3 % less where axe
 * computes most.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--process-per-site',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--no-opt --no-maglev --single-threaded-gc',
];

/** Maximum time for a page to change its size and theme, on a machine that may have other work to do. */
const REDRAWN_WITHIN_MS = 20_000;

export const SCREENS = {
  laptop: { width: 1280, height: 800 },
  phone: { width: 375, height: 812 },
} as const;

export const THEMES = ['light', 'dark'] as const;

/** A suite that needs Chromium: without it, its tests are reported as skipped. */
export const describeInBrowser = existsSync(EXECUTABLE)
  ? describe
  : (name: string, suite: () => void) => describe.skip(`${name} (skipped: no ${EXECUTABLE})`, suite);

/** Screen and theme of a page. */
export interface Look {
  readonly screen?: keyof typeof SCREENS;
  readonly theme?: (typeof THEMES)[number];
}

/** One Chromium for a suite, and all complaints of its pages. */
export class TestBrowser {
  /** Errors on the console, uncaught exceptions, and violations of the content security policy. */
  readonly complaints: string[] = [];
  /** The context of all visitors, who come one after the other. */
  private shared: BrowserContext | undefined;

  private constructor(
    private readonly browser: Browser,
    /** Address of the web server. */
    readonly url: string,
  ) {}

  static async launch(url: string): Promise<TestBrowser> {
    const options = { executablePath: EXECUTABLE, args: ARGUMENTS, timeout: STEP_PATIENCE_MS };
    const browser = await chromium.launch(options);
    return new TestBrowser(browser, url);
  }

  /**
   * The page of the next visitor, without a session or stored data. It is in the context of the earlier visitors, whose
   * pages are closed: the dashboard's files are cached there, and reading and compiling them again takes two seconds of
   * processor time. A test that changes its whole context, for example by a clock, needs a separate one.
   */
  async visit({ screen = 'laptop', theme = 'light' }: Look = {}): Promise<Page> {
    this.shared ??= await this.contextThatStays();
    await this.leave();
    await this.shared.clearCookies();
    const page = await this.shared.newPage();
    const session = await this.shared.newCDPSession(page);
    const storageTypes = 'local_storage,indexeddb,cache_storage,service_workers';
    await session.send('Storage.clearDataForOrigin', { origin: this.url, storageTypes });
    await session.detach();
    await lookAt(page, { screen, theme });
    return page;
  }

  /** Closes the pages of the last visitor. */
  async leave(): Promise<void> {
    for (const page of this.shared?.pages().slice(1) ?? []) await page.close();
  }

  /**
   * A context whose first page stays open: the one process of all pages ends, with its compiled code, when the last
   * page is closed.
   */
  private async contextThatStays(): Promise<BrowserContext> {
    const context = await this.context();
    await (await context.newPage()).goto('/icon.svg');
    return context;
  }

  /** The browser of another person: separate cookies, and nothing cached. */
  async context(): Promise<BrowserContext> {
    const context = await this.browser.newContext({
      baseURL: this.url,
      viewport: SCREENS.laptop,
      colorScheme: 'light',
      // without animations to wait for
      reducedMotion: 'reduce',
      timezoneId: 'Europe/Berlin',
      locale: 'en-GB',
    });
    context.setDefaultTimeout(STEP_PATIENCE_MS);
    context.on('page', (page) => this.listen(page));
    return context;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  private listen(page: Page): void {
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      // a refused request is handled by the page, but Chromium logs it anyway
      if (message.type() !== 'error' || text.startsWith('Failed to load resource')) return;
      this.complaints.push(`${page.url()}: ${text}`);
    });
  }
}

/**
 * Looks in which axe checks each page: both screens and both themes. The other two pairs are only for pictures,
 * because a check takes half a second of processor time.
 */
export const LOOKS: readonly Required<Look>[] = [
  { screen: 'laptop', theme: 'light' },
  { screen: 'phone', theme: 'dark' },
  ...(takesPictures
    ? ([
        { screen: 'phone', theme: 'light' },
        { screen: 'laptop', theme: 'dark' },
      ] as const)
    : []),
];

/** Gives a page the size of that screen, and that theme. */
export async function lookAt(page: Page, { screen = 'laptop', theme = 'light' }: Look): Promise<void> {
  await page.setViewportSize(SCREENS[screen]);
  await page.emulateMedia({ colorScheme: theme });
}

/**
 * Signs up through the web server, with the requests of a page.
 *
 * @param more `setup_token`, for the first operator
 */
export async function signUp(
  context: BrowserContext,
  url: string,
  email: string,
  password: string,
  more: object = {},
) {
  const reply = await context.request.post(`${url}/api/auth/register`, {
    headers: { origin: url },
    data: { email, password, ...more },
  });
  if (reply.status() !== 201) throw new Error(`Signing up answered ${reply.status()}: ${await reply.text()}`);
}

/** Signs in through the web server, with the request of a page. */
export async function signIn(page: Page, url: string, credentials: object): Promise<void> {
  const reply = await page.request.post('/api/auth/login', { headers: { origin: url }, data: credentials });
  if (reply.status() !== 200) throw new Error(`Signing in answered ${reply.status()}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const WCAG_AA: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // the same rules; passed elements are not described
  resultTypes: ['violations'],
};

/** Problems that axe finds in the present page: one line for each element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // not as a script element, which the content security policy forbids; half a megabyte is compiled once for a document
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults, RunOptions>(
    (options) =>
      (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(options),
    WCAG_AA,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
}

/** Resolves after two frames. */
export function redrawn(page: Page): Promise<void> {
  return page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  );
}

/** Problems of a page after a change of its look. Problems of an unfinished rendering disappear. */
export async function problemsThatStay(problemsNow: () => Promise<string[]>): Promise<string[]> {
  let problems = await problemsNow();
  for (const begun = Date.now(); problems.length > 0 && Date.now() - begun < REDRAWN_WITHIN_MS;)
    problems = await problemsNow();
  return problems;
}

/** Holds a page against axe, and against the width of its window, on both screens and in both themes. */
export async function expectAccessibleInAllLooks(page: Page, name: string): Promise<void> {
  for (const look of LOOKS) {
    await lookAt(page, look);
    await redrawn(page);
    await until(async () => (await sidewaysScroll(page)) === 0);
    await picture(page, `${name}-${look.screen}-${look.theme}`);
    expect(await problemsThatStay(() => accessibilityProblems(page))).toEqual([]);
  }
  await lookAt(page, {});
}

/** The number of pixels by which the page is wider than its window. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Takes a screenshot for people, if `SCREENSHOT_DIR` is set. */
export async function picture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

/** Waits until a button or a menu item is refused with the reason: the page may show it before it knows the role. */
export async function refused(control: Locator, reason: string): Promise<void> {
  await control
    .and(control.page().locator('[aria-disabled=true]'))
    .getByText(reason)
    .waitFor({ state: 'attached' });
}
