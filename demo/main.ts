import { resolve } from 'node:path';
import { createServiceClient } from '@agent-control-plane/client';
import { HOSTED, TEAM } from './company.js';
import { closingWords } from './closing-words.js';
import { found, keyOfWebsite } from './founding.js';
import { Kept } from './kept.js';
import { Narrator } from './narrator.js';
import { OutsideWorld } from './outside-world.js';
import { Pace } from './pace.js';
import { hasPython, programsOfRunner } from './programs-of-runner.js';
import { isDashboard, isService, type Place, ServiceProcess } from './service-process.js';
import { Staff } from './staff.js';
import { Story } from './story.js';

/**
 * `npm run demo [address]`: plays a small company for two minutes, and goes on until Ctrl-C. It uses the service at that address, at
 * `SERVICE_API_URL`, or the one that `npm start` runs here; where none answers, it starts what `npm start` starts.
 */
const { DATA_DIR, PORT, SERVICE_API_URL, WEB_PORT } = process.env;
const named = process.argv[2] ?? (SERVICE_API_URL || undefined);

const end = new AbortController();
// a terminal and npm may both send the same one: the second must not cut the end short
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort());

async function placeOf(url: string): Promise<Place> {
  const web = process.env.SERVICE_WEB_URL || `http://127.0.0.1:${WEB_PORT || 3000}`;
  return { url, web: (await isDashboard(web)) ? web : null };
}

async function play({ url, web }: Place, own: ServiceProcess | undefined): Promise<void> {
  const pace = Pace.of(process.env);
  const narrator = new Narrator();
  const kept = Kept.open(resolve(DATA_DIR || '.data'));
  const withPython = hasPython();
  const company = await found(url, kept, [...HOSTED, ...programsOfRunner(kept.folder, pace, withPython)]);
  narrator.tell(
    company.isNew
      ? `Ada founds ${TEAM}, with Ben, who deploys, and Cleo, who reads`
      : `${TEAM} is there from before`,
  );
  if (!withPython)
    narrator.tell('There is no python3 of 3.9 or newer: sales-forecast, an agent in Python, is left out');
  const staff = new Staff(url, kept, pace);
  try {
    await staff.start(company);
    const key = await keyOfWebsite(kept, company.ada, company.projectId);
    const website = createServiceClient({ baseUrl: url, credentials: key });
    const world = new OutsideWorld(website, company.agents, pace);
    const sights = await new Story(company, staff, world, pace, narrator, end.signal).play();
    process.stdout.write(closingWords({ company, sights, url, web, endsService: own !== undefined }));
    await untilTheEnd(own);
  } finally {
    end.abort();
    narrator.tell('The agents end their programs');
    await staff.stop();
  }
}

/** @throws Error if the service that the demo has started ends */
async function untilTheEnd(own: ServiceProcess | undefined): Promise<void> {
  const ended = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
  await (own ? Promise.race([ended, own.failed]) : ended);
}

async function main(): Promise<void> {
  const url = named ?? `http://127.0.0.1:${PORT || 8000}`;
  if (await isService(url)) return play(await placeOf(url), undefined);
  if (named !== undefined)
    throw new Error(`No service answers at ${url}. Start one with npm start, or leave the address out.`);
  process.stdout.write(`No service answers at ${url}: the demo starts one, as npm start does\n`);
  const own = await ServiceProcess.start();
  try {
    await play(own.place, own);
  } finally {
    await own.stop();
  }
}

try {
  await main();
} catch (error) {
  if (!end.signal.aborted) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
