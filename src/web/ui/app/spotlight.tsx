import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useAgents } from '../api/agents.js';
import { useDeployments } from '../api/deployments.js';
import { bestFirst } from '../components/best-first.js';
import { shortId } from '../components/short-id.js';
import { useDestinations } from './navigation.js';

/** Time after the last key before the service is asked; milliseconds. */
const PAUSE_MS = 200;
/** Maximum number of agents and of deployments in the results. */
const FOUND = 8;

export const openSearch = () => spotlight.open();

/** Ctrl-K: the way to any agent, deployment, page or action. */
export function PageSpotlight() {
  const navigateTo = useNavigate();
  const navigate = (path: string) => void navigateTo(path);
  const [query, setQuery] = useState('');
  const [wanted] = useDebouncedValue(query.trim(), PAUSE_MS);
  const enabled = wanted !== '';
  const agents = useAgents({ q: wanted }, { enabled });
  const deployments = useDeployments({ q: wanted }, { enabled });
  const groups: SpotlightActionGroupData[] = [
    {
      group: 'Pages',
      actions: useDestinations().map(({ to, label }) => ({ id: to, label, onClick: () => navigate(to) })),
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
      ],
    },
  ];
  const matching = groups.map(({ group, actions }) => ({
    group,
    actions: actions.filter(({ label }) => label?.toLowerCase().includes(query.trim().toLowerCase())),
  }));
  const found: SpotlightActionGroupData[] = [
    {
      group: 'Agents',
      actions: (enabled ? bestFirst(agents.rows, wanted) : [])
        .slice(0, FOUND)
        .map(({ id, name, health }) => ({
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
  return (
    <Spotlight
      actions={[...matching, ...found].filter(({ actions }) => actions.length > 0)}
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
