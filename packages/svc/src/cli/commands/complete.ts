import { defineCommand } from '../command.js';
import type { NamedKind } from '../command-declaration.js';
import type { Context } from '../context.js';
import { contextsOf } from '../contexts.js';
import { agentKind } from '../find-agent.js';
import { approvalKind } from '../find-approval.js';
import { budgetKind } from '../find-budget.js';
import { deploymentKind } from '../find-deployment.js';
import { keyKind } from '../find-key.js';
import { pauseKind } from '../find-pause.js';
import { projectKind } from '../find-project.js';
import type { ResourceKind, Search } from '../find-resource.js';
import { runKind } from '../find-run.js';
import { scheduleKind } from '../find-schedule.js';
import { webhookKind } from '../find-webhook.js';
import { isIdPrefix } from '../option-values.js';
import { printableLine } from '../output/printable.js';
import { PAGE } from '../paging.js';

/** Maximum time for which a shell's prompt waits; milliseconds. */
const PATIENCE_MS = 2_000;

type Offer = readonly [word: string, description: string];

const OFFERS: Readonly<Record<NamedKind, (context: Context, word: string) => Promise<readonly Offer[]>>> = {
  agent: offersOf(agentKind),
  deployment: offersOf(deploymentKind),
  run: offersOf(runKind),
  schedule: offersOf(scheduleKind),
  pause: offersOf(pauseKind),
  budget: offersOf(budgetKind),
  approval: offersOf(approvalKind),
  'api-key': offersOf(keyKind),
  webhook: offersOf(webhookKind),
  project: offersOf(projectKind),
  context: async ({ config }) =>
    contextsOf(await config.read()).map(({ name, api_url: address }) => [name, address ?? '']),
};

export const command = defineCommand({
  arguments: [
    { name: 'kind', description: 'what is named', choices: Object.keys(OFFERS) },
    { name: 'word', description: 'how the name begins', isOptional: true },
  ],
  details:
    'Names that begin with a word, for the scripts of svc completion: each with a tab and a description.',
  examples: [{ command: 'complete agent inv', explanation: 'agents whose names begin with inv' }],
  read: (input) => ({
    kind: input.argument('kind') as NamedKind,
    word: input.optionalArgument('word') ?? '',
  }),
  async run({ kind, word }, context) {
    const offers = await OFFERS[kind](context, word);
    for (const [name, description] of offers) {
      // a name with a control character can't be typed
      if (name.startsWith(word) && printableLine(name) === name)
        context.terminal.print(`${name}\t${printableLine(description)}`);
    }
  },
});

/** Names with this beginning, or ids if no name has it. */
function offersOf<Item extends { readonly id: string }>(kind: ResourceKind<Item>) {
  const { read, nameOf = ({ id }) => id, describe } = kind;
  return async (context: Context, word: string): Promise<readonly Offer[]> => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const found = async (search: Search) =>
      (await read(context, search, { skip: 0, limit: PAGE.resources }, signal)).data ?? [];
    const named = (await found(word === '' ? {} : { q: word })).filter((item) =>
      nameOf(item).startsWith(word),
    );
    if (named.length > 0 || !isIdPrefix(word))
      return [...new Map(named.map((item) => [nameOf(item), describe(item)]))];
    return (await found({ id_prefix: word })).map((item) => [item.id, describe(item)]);
  };
}
