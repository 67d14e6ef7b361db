import { Button, Checkbox, Group } from '@mantine/core';
import { IconChecks } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Approval, type ApprovalFilter, useApprovals } from '../../api/approvals.js';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { ApprovalCard, cardId } from '../../components/approval-card.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useShortcuts } from '../../components/shortcut-keys.js';
import { useKeyChoice } from '../../components/key-choice.js';
import { ApprovalFilters, useApprovalFilter } from './approval-filters.js';
import classes from './approvals.module.css';
import { AskingAgents } from './asking-agents.js';
import { keptRows } from './kept-rows.js';
import { NotifyButton } from './notify-button.js';

/** Questions of agents to people, oldest first. */
export function ApprovalsPage() {
  const filter = useApprovalFilter();
  const projectId = useChosenProjectId();
  return (
    <>
      <PageHeader title="Approvals" actions={<NotifyButton />}>
        <span>Actions that agents need approved before they act. The first decision counts.</span>
      </PageHeader>
      <AskingAgents chosen={filter.agent_id ?? null} />
      <ApprovalFilters filter={filter} />
      <List key={JSON.stringify([filter, projectId])} filter={filter} />
    </>
  );
}

function List({ filter }: { readonly filter: ApprovalFilter }) {
  const list = useApprovals(filter);
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the approvals" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={4} height={140} />;
  return <Cards list={list} filter={filter} />;
}

interface CardsProps {
  readonly list: ReturnType<typeof useApprovals>;
  readonly filter: ApprovalFilter;
}

/** The cards. What is decided stays in its place until it is tidied up, so that nothing moves meanwhile. */
function Cards({ list, filter }: CardsProps) {
  const [kept, setKept] = useState<readonly Approval[]>([]);
  const [selected, setSelected] = useState<string | null>(null);
  const [hasKeys, setHasKeys] = useKeyChoice();
  const rows = keptRows(kept, list.rows);
  if (rows !== kept) setKept(rows);
  const listed = new Set(list.rows.map(({ id }) => id));
  const gone = rows.filter(({ id }) => !listed.has(id)).length;
  const step = (by: 1 | -1) => () => {
    const place = rows.findIndex(({ id }) => id === selected);
    const next = rows[place < 0 ? 0 : place + by];
    if (!next) return;
    setSelected(next.id);
    const card = document.getElementById(cardId(next.id));
    card?.focus({ preventScroll: true });
    card?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts(hasKeys, { j: step(1), k: step(-1) });
  if (rows.length === 0) return <Nothing filter={filter} />;
  return (
    <>
      <Group justify="space-between" mb="sm" gap="xs">
        <Checkbox
          size="xs"
          visibleFrom="sm"
          label="Keys: j next, k previous; a approve, r reject, each pressed twice; Escape undoes"
          checked={hasKeys}
          onChange={(event) => setHasKeys(event.currentTarget.checked)}
        />
        {gone > 0 && (
          <Button size="compact-xs" variant="default" onClick={() => setKept(list.rows)}>
            {`Tidy up ${gone} that left the list`}
          </Button>
        )}
      </Group>
      <ol className={classes.cards} aria-label="Approvals">
        {rows.map((approval) => (
          <li key={approval.id}>
            <ApprovalCard
              approval={approval}
              isGone={!listed.has(approval.id)}
              isSelected={approval.id === selected}
              onSelect={() => setSelected(approval.id)}
              hasKeys={hasKeys}
            />
          </li>
        ))}
      </ol>
      <LoadMore list={list} />
    </>
  );
}

function Nothing({ filter }: Pick<CardsProps, 'filter'>) {
  const [, setSearch] = useSearchParams();
  const { state, ...others } = filter;
  if (state !== 'pending' || Object.keys(others).length > 0) {
    return (
      <EmptyState
        icon={IconChecks}
        title="No approval matches"
        action={
          <Button variant="default" onClick={() => setSearch({}, { replace: true })}>
            Show all waiting
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState icon={IconChecks} title="No approvals waiting">
      Agents ask here before they act. An agent waits for the decision, then does exactly what was approved.
    </EmptyState>
  );
}
