import { stopAgent } from '../api/agent-acts.js';
import { pauseAgent, resumeAgent } from '../api/pauses.js';
import type { BulkAction } from './bulk-dialog.js';
import { deployWithItsReplicas } from './keep-replicas.js';

/** Actions on agents that need no more than a confirmation. */
export const AGENT_VERBS: readonly BulkAction[] = [
  {
    label: 'Deploy',
    description:
      'A new deployment of the newest configuration replaces the active ones. It starts with one replica, and this page asks for as many as it replaces once it runs: keep it open until then.',
    scope: 'deploy',
    run: deployWithItsReplicas,
  },
  {
    label: 'Stop',
    description: 'All active deployments are stopped. They can be restarted later.',
    scope: 'deploy',
    isForOperators: true,
    isDestructive: true,
    run: stopAgent,
  },
  {
    label: 'Pause',
    description: 'Nothing runs until it is resumed. Deployments and replicas are remembered.',
    scope: 'deploy',
    isForOperators: true,
    isDestructive: true,
    run: (id) => pauseAgent(id),
  },
  {
    label: 'Resume',
    description: 'The deployments run again, with as many replicas as before.',
    scope: 'deploy',
    run: resumeAgent,
  },
];

export interface VerbSearch {
  readonly verb: BulkAction;
  /** The texts by which the agent is found; never empty. */
  readonly text: string;
}

/** The verb that a search begins with, and the rest: `stop invoi`. Null: it has no verb, or nothing after it. */
export function verbIn(search: string): VerbSearch | null {
  const [first = '', ...rest] = search.trim().split(/\s+/);
  const verb = AGENT_VERBS.find(({ label }) => label.toLowerCase() === first.toLowerCase());
  const text = rest.join(' ');
  return verb && text !== '' ? { verb, text } : null;
}
