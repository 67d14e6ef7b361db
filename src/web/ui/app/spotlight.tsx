import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useAgents } from '../api/agents.js';
import { useDeployments } from '../api/deployments.js';
import { verbIn } from '../components/agent-verbs.js';
import { bestFirst } from '../components/best-first.js';
import { shortId } from '../components/short-id.js';
import type { AskedVerb } from '../components/verb-dialog.js';
import { useDestinations } from './navigation.js';

/** Time after the last key before the service is asked; milliseconds. */
const PAUSE_MS = 200;
/** Maximum number of agents and of deployments in the results. */
const FOUND = 8;

const ACCOUNT = { to: '/account', label: 'Account' };

const [store, spotlight] = createSpotlight();

export const openSearch = spotlight.open;

export interface PageSpotlightProps {
  readonly onKeys: () => void;
  readonly onVerb: (asked: AskedVerb) => void;
}

/** Ctrl-K: the way to any agent, deployment, page or action. */
export function PageSpotlight({ onKeys, onVerb }: PageSpotlightProps) {
  const navigateTo = useNavigate();
  const navigate = (path: string) => void navigateTo(path);
  const [query, setQuery] = useState('');
  const found = useFound(query, navigate, onVerb);
  const groups: SpotlightActionGroupData[] = [
    {
      group: 'Pages',
      actions: [...useDestinations(), ACCOUNT].map(({ to, label }) => ({
        id: to,
        label,
        onClick: () => navigate(to),
      })),
    },
    {
      group: 'Actions',
      actions: [
        { id: 'new agent', label: 'Create an agent', onClick: () => navigate('/agents/new') },
        { id: 'pauses', label: 'Show pauses, or pause agents', onClick: () => navigate('/pauses') },
        { id: 'failing', label: 'Show failing agents', onClick: () => navigate('/agents?health=failing') },
        {
          id: 'offline',
          label: 'Show offline agents',
          onClick: () => navigate('/agents?connection=offline'),
        },
        {
          id: 'failed',
          label: 'Show failed deployments',
          onClick: () => navigate('/deployments?status=failed'),
        },
        { id: 'keys', label: 'Show keyboard shortcuts', onClick: onKeys },
      ],
    },
  ];
  const matching = groups.map(({ group, actions }) => ({
    group,
    actions: actions.filter(({ label }) => label?.toLowerCase().includes(query.trim().toLowerCase())),
  }));
  const shown = [...matching, ...found].filter(({ actions }) => actions.length > 0);
  useFirstChosen(query, shown);
  return (
    <Spotlight
      store={store}
      actions={shown}
      filter={(_, actions) => actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={['mod + K']}
      tagsToIgnore={[]}
      scrollable
      maxHeight="60dvh"
      nothingFound="Nothing found"
      styles={{ content: { background: 'var(--surface)' } }}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        // a longer one is cut on a phone
        placeholder: 'Find an agent or a deployment',
        'aria-label': 'Find an agent, a deployment, a page or an action',
      }}
    />
  );
}

/** Chooses the first hit again when hits come: Mantine chooses it when the text changes, before the service has answered. */
function useFirstChosen(query: string, groups: readonly SpotlightActionGroupData[]): void {
  const ids = groups.flatMap(({ actions }) => actions.map(({ id }) => id)).join(' ');
  useEffect(() => {
    if (query === '' || ids === '') return;
    const list = document.getElementById(store.getState().listId);
    list?.querySelector('[data-selected]')?.removeAttribute('data-selected');
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
    store.updateState((state) => ({ ...state, selected: 0 }));
  }, [query, ids]);
}

/** The agents and deployments that a text finds; after a verb (`stop invoi`) the agents to which it can be done. */
function useFound(
  query: string,
  navigate: (path: string) => void,
  onVerb: PageSpotlightProps['onVerb'],
): SpotlightActionGroupData[] {
  const [wanted] = useDebouncedValue(query.trim(), PAUSE_MS);
  const asked = verbIn(wanted);
  const text = asked?.text ?? wanted;
  const enabled = text !== '';
  const agents = useAgents({ q: text }, { enabled });
  const deployments = useDeployments({ q: text }, { enabled: enabled && asked === null });
  const named = (enabled ? bestFirst(agents.rows, text) : []).slice(0, FOUND);
  if (asked !== null) {
    const { verb } = asked;
    return [
      {
        group: verb.label,
        actions: named.map((agent) => ({
          id: `${verb.label} ${agent.id}`,
          label: `${verb.label} ${agent.name}`,
          description: agent.health.state,
          onClick: () => onVerb({ verb, agent }),
        })),
      },
    ];
  }
  return [
    {
      group: 'Agents',
      actions: named.map(({ id, name, health }) => ({
        id,
        label: name,
        description: health.state,
        onClick: () => navigate(`/agents/${id}`),
      })),
    },
    {
      group: 'Deployments',
      actions: (enabled ? deployments.rows : []).slice(0, FOUND).map(({ id, agent_name, status }) => ({
        id,
        label: `${agent_name} ${shortId(id)}`,
        description: status,
        onClick: () => navigate(`/deployments/${id}`),
      })),
    },
  ];
}
