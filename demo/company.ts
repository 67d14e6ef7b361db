import type { components } from '@agent-control-plane/client';

type Schemas = components['schemas'];

export const TEAM = 'Lantern Books';

/** The people of the company. Ada is the one that whoever plays the demo logs in as. */
export const PEOPLE = [
  { name: 'Ada Lindqvist', local: 'ada', role: 'owner' },
  { name: 'Ben Osei', local: 'ben', role: 'deployer' },
  { name: 'Cleo Marsh', local: 'cleo', role: 'viewer' },
] as const;
export const DOMAIN = 'lantern-books.example';

export interface AgentFacts {
  readonly name: string;
  /** What kind of program it is: an `assistant` answers runs, a `loop` finds its own, a `job` is a process for each run, a `service` is always there. */
  readonly type: 'assistant' | 'loop' | 'job' | 'service';
  readonly description: string;
  readonly team: 'shop' | 'editors' | 'finance';
  /** What it says of itself, or what `svc run` starts. */
  readonly config: Record<string, unknown>;
  readonly capture?: Schemas['Capture'];
}

export const SONNET = { model: 'claude-sonnet-4-5', provider: 'anthropic' };
export const OPUS = { model: 'claude-opus-4-1', provider: 'anthropic' };
export const MINI = { model: 'gpt-5-mini', provider: 'openai' };

/** Those that live in this process, by `AgentRuntime`. */
export const HOSTED: readonly AgentFacts[] = [
  {
    name: 'support-desk',
    type: 'assistant',
    description: 'Answers what customers write: finds their order, reads the handbook, writes back.',
    team: 'shop',
    config: { ...SONNET, tools: ['find_order', 'search_handbook'], tone: 'friendly, short' },
    capture: 'all',
  },
  {
    name: 'returns-clerk',
    type: 'assistant',
    description: 'Prepares refunds. A person decides about each.',
    team: 'shop',
    config: { ...MINI, ask_above_euros: 0 },
    capture: 'tools',
  },
  {
    name: 'invoice-payer',
    type: 'assistant',
    description: 'Reads invoices of publishers and pays them, once somebody has approved.',
    team: 'finance',
    config: { ...SONNET, ask_above_euros: 100 },
    capture: 'tools',
  },
  {
    name: 'translator',
    type: 'assistant',
    description: 'Translates blurbs and sample chapters. It uses the dearest model, so it has a budget.',
    team: 'editors',
    config: { ...OPUS, languages: ['de', 'fr', 'pl', 'es'] },
  },
  {
    name: 'catalogue-writer',
    type: 'assistant',
    description: 'Writes the page of a new book from what its publisher sends.',
    team: 'editors',
    config: { ...SONNET, words: 120 },
    capture: 'all',
  },
  {
    name: 'review-reader',
    type: 'assistant',
    description: "Sums up the day's reviews, and finds those that need an answer.",
    team: 'shop',
    config: { ...MINI, batch: 40 },
  },
  {
    name: 'newsletter',
    type: 'assistant',
    description: 'Drafts the letter of Friday.',
    team: 'editors',
    config: { ...SONNET, audience: 'readers' },
  },
  {
    name: 'rights-scout',
    type: 'loop',
    description:
      'Works through a list of questions about translation rights: asks a model, uses tools, until it knows.',
    team: 'editors',
    config: { ...SONNET, tools: ['search_catalogue', 'read_page', 'take_note'], max_steps: 8 },
    capture: 'all',
  },
  {
    name: 'price-watcher',
    type: 'loop',
    description: 'Compares our prices with those of three other shops. It needs no model.',
    team: 'shop',
    config: { shops: ['Page & Co', 'Quill', 'Nightjar'], every_seconds: 45 },
  },
];

export interface ScheduleFacts {
  readonly agent: string;
  readonly body: Schemas['CreateScheduleRequest'];
}

export const SCHEDULES: readonly ScheduleFacts[] = [
  { agent: 'review-reader', body: { name: 'each minute', every_seconds: 60, input: { reviews: 'new' } } },
  {
    agent: 'catalogue-writer',
    body: { name: 'new books', every_seconds: 90, input: { title: 'The Salt Road', from: 'Harbour Press' } },
  },
  {
    agent: 'newsletter',
    body: {
      name: 'the letter of Friday',
      cron: '0 7 * * FRI',
      timezone: 'Europe/Berlin',
      input: { issue: 'next' },
    },
  },
  {
    agent: 'invoice-payer',
    body: { name: 'month end', cron: '0 9 28 * *', timezone: 'Europe/Berlin', is_active: false },
  },
];

/** What `translator` may spend in a day; four of its translations come to more. */
export const TRANSLATOR_LIMIT_USD = 8;
export const COMPANY_LIMIT_USD = 2_500;
