import { stopAgent } from '../api/agent-acts.js';
import { pauseAgent, resumeAgent } from '../api/pauses.js';
import type { BulkAction } from './bulk-dialog.js';
import { deployWithItsReplicas } from './keep-replicas.js';

/** Actions on agents that need no more than a confirmation. */
export const AGENT_VERBS: readonly BulkAction[] = [
  {
    label: 'Deploy',
    description:
      'The newest configuration replaces what is deployed. A new deployment starts with one replica and is scaled to as many as before once it runs: keep this page open until then.',
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
    description: 'Nothing runs until you resume it. Its deployments and replica counts are kept.',
    scope: 'deploy',
    isForOperators: true,
    isDestructive: true,
    run: (id) => pauseAgent(id),
  },
  {
    label: 'Resume',
    description: 'Its deployments start again, with as many replicas as before.',
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
