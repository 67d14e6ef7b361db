import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { useAgents } from '../api/agents.js';
import { useDeployments } from '../api/deployments.js';
import { shortId } from '../components/short-id.js';
import { useDestinations } from './navigation.js';

/** Time after the last key before the service is asked; milliseconds. */
const PAUSE_MS = 200;
/** Agents and deployments that are named. */
const FOUND = 8;

/** Agents whose own name matches before those of which a description, a type or a host does. */
function bestFirst<Row extends { readonly name: string }>(rows: readonly Row[], text: string): Row[] {
  const wanted = text.toLowerCase();
  const rank = ({ name }: Row) => {
    const at = name.toLowerCase().indexOf(wanted);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return rows.toSorted((one, other) => rank(one) - rank(other));
}

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
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        // a phone shows no more than 30 characters
        placeholder: 'Find an agent, page or action',
        'aria-label': 'Find an agent, a deployment, a page or an action',
      }}
    />
  );
}
