import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** One opening of a page. */
export interface Opening {
  /** From the navigation to its heading with everything of the first screen that is not a placeholder; milliseconds. */
  readonly ms: number;
  /** From the load to the browser's first contentful paint; milliseconds. */
  readonly paintMs: number;
  /** Processor time of the page until then, which other work on the machine hardly changes. */
  readonly cpuMs: number;
  /** Requests until then that the cache did not answer. */
  readonly requests: number;
  /** The most of them that came one after the other. */
  readonly inARow: number;
}

/** Time without a new placeholder after which a page is complete; milliseconds. */
const SETTLED_MS = 300;
const PATIENCE_MS = 60_000;

/**
 * Script of each page: `contentAt()` resolves with the time at which the first screen had the heading of another page than
 * before, and no placeholder.
 */
const OBSERVER = `
  globalThis.contentAt = (before) => new Promise((resolve, reject) => {
    let at, timer;
    setTimeout(() => reject(new Error('No content: ' + location.href)), ${PATIENCE_MS});
    const isThere = () => {
      const heading = document.querySelector('main h1');
      if (!heading || heading === before) return false;
      return [...document.querySelectorAll('main [aria-busy="true"]')].every(
        (busy) => busy.getBoundingClientRect().top >= innerHeight);
    };
    const look = () => {
      if (!isThere()) { clearTimeout(timer); at = undefined; return; }
      if (at !== undefined) return;
      at = performance.now();
      timer = setTimeout(() => { observer.disconnect(); resolve(at); }, ${SETTLED_MS});
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true, attributes: true });
    look();
  });
  globalThis.firstContent = globalThis.contentAt(null);
`;

/** Pages that are opened in one browser profile. */
export class OpenedPage {
  private constructor(
    readonly page: Page,
    private readonly devtools: CDPSession,
  ) {}

  static async of(context: BrowserContext): Promise<OpenedPage> {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.addInitScript(OBSERVER);
    const devtools = await context.browser()!.newBrowserCDPSession();
    return new OpenedPage(page, devtools);
  }

  /** Opens an address as a link from elsewhere does. */
  async load(address: string): Promise<Opening> {
    await this.page.goto('about:blank');
    const before = await this.usage();
    await this.page.goto(address, { waitUntil: 'commit' });
    const at = await this.page.evaluate<number>('firstContent');
    return this.opening(0, at, before);
  }

  /** Opens an address within the dashboard. */
  async navigate(address: string): Promise<Opening> {
    const before = await this.usage();
    const [from, at] = await this.page.evaluate<[number, number], string>(async (wanted) => {
      const scope = globalThis as unknown as Scope;
      const heading = scope.document.querySelector('main h1');
      const begun = scope.performance.now();
      scope.history.pushState(null, '', wanted);
      scope.dispatchEvent(new scope.PopStateEvent('popstate'));
      return [begun, await scope.contentAt(heading)];
    }, address);
    return this.opening(from, at, before);
  }

  private async opening(from: number, at: number, before: ReadonlyMap<number, number>): Promise<Opening> {
    const after = await this.usage();
    const spans = await this.page.evaluate<[number, number][]>(
      `performance.getEntries().filter((each) => each.transferSize > 0).map((each) => [each.startTime, each.responseEnd])`,
    );
    const paintMs = await this.page.evaluate<number>(
      `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
    );
    const needed = spans.filter(([begun, ended]) => begun >= from && ended <= at);
    return {
      ms: at - from,
      paintMs,
      cpuMs: sum([...after].map(([id, ms]) => ms - (before.get(id) ?? 0))),
      requests: needed.length,
      inARow: longestRow(needed),
    };
  }

  /** Processor time of each process of a page, by its id; milliseconds. A load may begin a new one. */
  private async usage(): Promise<ReadonlyMap<number, number>> {
    const { processInfo } = await this.devtools.send('SystemInfo.getProcessInfo');
    const ofPages = processInfo.filter(({ type }) => type === 'renderer');
    return new Map(ofPages.map(({ id, cpuTime }) => [id, cpuTime * 1_000]));
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** What the script in the page uses of a browser. */
interface Scope {
  readonly document: { querySelector(selector: string): unknown };
  readonly performance: { now(): number };
  readonly history: { pushState(state: null, title: string, address: string): void };
  readonly PopStateEvent: new (type: string) => object;
  dispatchEvent(event: object): void;
  contentAt(before: unknown): Promise<number>;
}

/** The most requests of which each began after the one before had ended. */
function longestRow(spans: readonly (readonly [begun: number, ended: number])[]): number {
  let [length, free] = [0, -Infinity];
  for (const [begun, ended] of [...spans].sort((one, other) => one[1] - other[1])) {
    if (begun < free) continue;
    length++;
    free = ended;
  }
  return length;
}
