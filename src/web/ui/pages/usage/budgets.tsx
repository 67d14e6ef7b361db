import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots, IconGauge, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { type Budget, type NamedBudget, useBudgets } from '../../api/budgets.js';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { ActorLink } from '../../components/actor-link.js';
import { AgentLink } from '../../components/agent-link.js';
import { BudgetMeter } from '../../components/budget-meter.js';
import { actionText, limitText, worstFirst } from '../../components/budget-words.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { GuardedItem } from '../../components/guarded-item.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { useProjectColumn } from '../../components/project-name.js';
import { useRefusals } from '../../components/required-role.js';
import { StatusBadge } from '../../components/status-badge.js';
import { CreateBudgetDialog, DeleteBudgetDialog, EditBudgetDialog } from './budget-dialogs.js';
import { BudgetResets } from './budget-resets.js';
import classes from './usage.module.css';

type Asked = 'new' | { readonly what: 'edit' | 'delete'; readonly budget: Budget };

/** All budgets, those nearest to their limits first. Owners of their project set them. */
export function Budgets() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const list = useBudgets();
  const refusal = useRefusals()(useChosenProjectId(), 'budgets');
  const create = (
    <GuardedButton
      leftSection={<IconPlus size={16} aria-hidden />}
      refusal={refusal}
      onClick={() => setAsked('new')}
    >
      New budget
    </GuardedButton>
  );
  const close = () => setAsked(null);
  return (
    <>
      {list.error && (
        <ErrorNotice error={list.error} title="Couldn’t load the budgets" onRetry={list.refetch} />
      )}
      {list.isPending && <Pending rows={4} />}
      {!list.isPending && !list.error && list.rows.length === 0 && (
        <EmptyState icon={IconGauge} title="No budgets yet" action={create}>
          A budget limits dollars, tokens, calls or minutes, per run, hour, day or month. It warns before the
          limit; beyond it, it notifies you, pauses agents or stops them.
        </EmptyState>
      )}
      {list.rows.length > 0 && (
        <>
          <div className={classes.actions}>
            <Text size="sm" c="dimmed">
              Budgets are checked when usage arrives, so calls already in progress can exceed a limit.
            </Text>
            {create}
          </div>
          <Table budgets={worstFirst(list.rows)} onAsk={setAsked} />
          <LoadMore list={list} />
        </>
      )}
      {asked === 'new' && <CreateBudgetDialog onClose={close} />}
      {asked !== null && asked !== 'new' && asked.what === 'edit' && (
        <EditBudgetDialog budget={asked.budget} onClose={close} />
      )}
      {asked !== null && asked !== 'new' && asked.what === 'delete' && (
        <DeleteBudgetDialog budget={asked.budget} onClose={close} />
      )}
    </>
  );
}

const NAME: Column<NamedBudget> = {
  key: 'name',
  header: 'Budget',
  isName: true,
  cell: (budget) => (
    <>
      {budget.name}
      <Text size="xs" c="dimmed" fw={400}>
        {limitText(budget)}
      </Text>
    </>
  ),
};

const COLUMNS: readonly Column<NamedBudget>[] = [
  {
    key: 'whose',
    header: 'Limits',
    width: '12rem',
    isLong: true,
    cell: (budget) => <Whose budget={budget} />,
  },
  { key: 'spent', header: 'Spent', width: '14rem', cell: (budget) => <BudgetMeter budget={budget} /> },
  { key: 'state', header: 'State', cell: ({ state }) => <StatusBadge status={state} /> },
  {
    key: 'resets',
    header: 'Period',
    cell: (budget) => <BudgetResets budget={budget} />,
  },
  {
    key: 'action',
    isDetail: true,
    header: 'When exceeded',
    cell: ({ on_exceeded, period }) => actionText(on_exceeded, period),
  },
  {
    key: 'author',
    isDetail: true,
    header: 'Set by',
    isLong: true,
    cell: ({ created_by: actor, created_by_name: actor_name, created_by_email: actor_email }) => (
      <ActorLink of={{ actor, actor_name, actor_email }} />
    ),
  },
];

interface TableProps {
  readonly budgets: readonly NamedBudget[];
  readonly onAsk: (asked: Asked) => void;
}

function Table({ budgets, onAsk }: TableProps) {
  const project = useProjectColumn<NamedBudget>();
  const actions: Column<NamedBudget> = {
    key: 'actions',
    header: 'Actions',
    align: 'right',
    cell: (budget) => <BudgetMenu budget={budget} onAsk={(what) => onAsk({ what, budget })} />,
  };
  return (
    <DataTable
      label="Budgets"
      columns={[NAME, ...project, ...COLUMNS, actions]}
      rows={budgets}
      rowKey={({ id }) => id}
    />
  );
}

function Whose({ budget: { agent_id, agent_name, label } }: { readonly budget: Budget }) {
  if (agent_id !== null) return <AgentLink id={agent_id} name={agent_name} />;
  return label === null ? 'The whole project' : `Label ${label}`;
}

interface MenuProps {
  readonly budget: Budget;
  readonly onAsk: (what: 'edit' | 'delete') => void;
}

function BudgetMenu({ budget, onAsk }: MenuProps) {
  const refusal = useRefusals()(budget.project_id, 'budgets');
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${budget.name}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <GuardedItem
          leftSection={<IconPencil size={16} aria-hidden />}
          refusal={refusal}
          onClick={() => onAsk('edit')}
        >
          Change
        </GuardedItem>
        <GuardedItem
          color="var(--bad)"
          leftSection={<IconTrash size={16} aria-hidden />}
          refusal={refusal}
          onClick={() => onAsk('delete')}
        >
          Delete budget
        </GuardedItem>
      </Menu.Dropdown>
    </Menu>
  );
}
