import { Button } from '@mantine/core';
import { useState } from 'react';
import { useOverview } from '../../api/overview.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { ShownText } from '../../components/exact-text.js';
import classes from './approvals.module.css';

/** Number of agents that are shown before a person asks for more. */
const SHOWN_AT_FIRST = 12;

/**
 * The agents whose questions wait, each with their number, and each a filter: an agent that asks much is one of several here, where the
 * list would have the others behind all that it asks.
 */
export function AskingAgents({ chosen }: { readonly chosen: string | null }) {
  const { data } = useOverview();
  const [, set] = useAddressFilter();
  const [showsAll, setShowsAll] = useState(false);
  const agents = data?.agents_with_pending_approvals ?? [];
  if (agents.length < 2) return null;
  const shown = showsAll ? agents : agents.slice(0, SHOWN_AT_FIRST);
  return (
    <ul className={classes.agents} aria-label="Agents waiting for approval">
      {shown.map(({ agent_id, agent_name, approvals }) => (
        <li key={agent_id}>
          <Button
            className={classes.agent}
            size="compact-sm"
            variant={agent_id === chosen ? 'filled' : 'default'}
            aria-pressed={agent_id === chosen}
            onClick={() => set('agent', agent_id === chosen ? null : agent_id)}
            rightSection={<span className="numeric">{approvals.toLocaleString('en')}</span>}
          >
            <ShownText text={agent_name} />
          </Button>
        </li>
      ))}
      {agents.length > shown.length && (
        <li>
          <Button size="compact-sm" variant="subtle" onClick={() => setShowsAll(true)}>
            {`${agents.length - shown.length} more agents`}
          </Button>
        </li>
      )}
    </ul>
  );
}
