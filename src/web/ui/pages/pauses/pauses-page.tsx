import { Anchor, SegmentedControl } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Pause } from '@agent-control-plane/client';
import { useEndPause, usePauses } from '../../api/pauses.js';
import { ActorLink } from '../../components/actor-link.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { AgentLink } from '../../components/agent-link.js';
import { showDone, showFailure } from '../../components/announce.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { PauseAllButton } from '../../components/pause-all-button.js';
import { holdingText, selectionText } from '../../components/pause-words.js';
import { Pending } from '../../components/pending.js';
import { useProjectColumn } from '../../components/project-name.js';
import { useRefusals } from '../../components/required-role.js';
import { TimeAgo } from '../../components/time-ago.js';

const WHICH = [
  { value: 'open', label: 'Open' },
  { value: 'ended', label: 'Ended' },
];

/** The pauses that hold agents, or those that have ended. */
export function PausesPage() {
  const [search, set] = useAddressFilter();
  const isOpen = search.get('which') !== 'ended';
  return (
    <>
      <PageHeader title="Pauses" back={{ to: '/agents', label: 'Agents' }} actions={<PauseAllButton />}>
        <span>A paused agent runs nothing. When the pause ends, its deployments start again.</span>
      </PageHeader>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label="Which pauses"
        data={WHICH}
        value={isOpen ? 'open' : 'ended'}
        onChange={(value) => set('which', value === 'open' ? null : value)}
      />
      <List key={String(isOpen)} isOpen={isOpen} />
    </>
  );
}

function List({ isOpen }: { readonly isOpen: boolean }) {
  const list = usePauses(isOpen);
  const project = useProjectColumn<Pause>();
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the pauses" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={4} />;
  if (list.rows.length === 0) {
    return (
      <EmptyState
        icon={IconPlayerPause}
        title={isOpen ? 'Nothing is paused' : 'No pauses have ended recently'}
      >
        {isOpen && 'A pause stops one agent, the agents with a label or a type, or a whole project.'}
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label={isOpen ? 'Open pauses' : 'Ended pauses'}
        columns={[NAME, ...project, ...COLUMNS, ...(isOpen ? OF_OPEN : OF_ENDED)]}
        rows={list.rows}
        rowKey={({ id }) => id}
      />
      <LoadMore list={list} />
    </>
  );
}

const NAME: Column<Pause> = {
  key: 'whom',
  header: 'Paused',
  isName: true,
  cell: (pause) => <Whom pause={pause} />,
};

const COLUMNS: readonly Column<Pause>[] = [
  { key: 'reason', header: 'Reason', isLong: true, cell: ({ reason }) => reason },
  { key: 'actor', header: 'By', cell: (pause) => <ActorLink of={pause} /> },
  { key: 'since', header: 'Since', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

const OF_OPEN: readonly Column<Pause>[] = [
  { key: 'agents', header: 'Agents', cell: holdingText },
  { key: 'end', header: 'Actions', align: 'right', cell: (pause) => <EndButton pause={pause} /> },
];

const OF_ENDED: readonly Column<Pause>[] = [
  { key: 'ended', header: 'Ended', cell: ({ ended_at }) => <TimeAgo at={ended_at} /> },
  { key: 'agents', header: 'Agents', align: 'right', cell: ({ agents }) => agents },
];

function Whom({ pause }: { readonly pause: Pause }) {
  const text = selectionText(pause);
  if (text === null) return <AgentLink id={pause.agent_id!} name={pause.agent_name} />;
  if (pause.by === 'budget')
    return (
      <Anchor component={Link} to="/usage?tab=budgets" inherit>
        {text}
      </Anchor>
    );
  return text;
}

function EndButton({ pause }: { readonly pause: Pause }) {
  const end = useEndPause(pause.id);
  const refusal = useRefusals()(pause.project_id, 'deploy');
  const isOfBudget = pause.by === 'budget' ? 'Only its budget ends this pause' : null;
  return (
    <GuardedButton
      size="xs"
      variant="default"
      leftSection={<IconPlayerPlay size={14} aria-hidden />}
      loading={end.isPending}
      refusal={refusal ?? isOfBudget}
      onClick={() =>
        end.mutate(undefined, {
          onSuccess: () => showDone('The pause has ended'),
          onError: (error) => showFailure('The pause has not ended', error),
        })
      }
    >
      End
    </GuardedButton>
  );
}
