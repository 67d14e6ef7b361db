import type { Company } from './founding.js';
import type { Sights } from './story.js';

export interface Closing {
  readonly company: Company;
  readonly sights: Sights;
  readonly url: string;
  /** The dashboard; null: none was found. */
  readonly web: string | null;
  /** Whether the service ends with the demo. */
  readonly endsService: boolean;
}

/** What to look at, and how it ends. */
export function closingWords({ company, sights, url, web, endsService }: Closing): string {
  const { account } = company.ada;
  const page = (path: string) => `${web ?? ''}${path}`;
  const agent = (name: string) => page(`/agents/${company.agents.get(name)!.id}`);
  const sight = (what: string, where: string, why: string) =>
    `  ${what.padEnd(14)} ${where}\n${' '.repeat(17)}${why}`;
  return [
    '',
    web === null
      ? 'No dashboard was found: its address stands where npm start runs. In it, look at'
      : 'Look at, in the dashboard:',
    '',
    sight('Overview', page('/'), 'what needs you, and how it goes'),
    sight('Approvals', page('/approvals'), 'a refund waits for your decision'),
    sight(
      'A run',
      page(`/runs/${sights.research}?tab=spans`),
      'rights-scout: each call of its model and its tools, and their cost',
    ),
    sight('order-sync', agent('order-sync'), 'it crashes: the trace is in its logs'),
    sight('translator', agent('translator'), 'paused by its budget; what it was asked for waits'),
    sight('Usage', page('/usage'), 'what all of it costs'),
    '',
    `  Log in as      ${account.email}`,
    `  Password       ${account.password}`,
    `  API            ${url}`,
    '',
    `The company goes on. Ctrl-C ends its agents${endsService ? ', and the service with them' : '; the service goes on'}. What they did is kept: npm run demo finds it again.`,
    'Nothing calls a model: the answers are made up, the prices are those of the models that are named.',
    '',
  ].join('\n');
}
