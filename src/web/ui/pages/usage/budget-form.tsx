import { Button, Group, Input, NumberInput, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.js';
import { AgentSelect } from '../../components/agent-select.js';
import {
  type Action,
  actionsFor,
  MEASURES,
  type Measure,
  type Period,
  PERIODS,
} from '../../components/budget-words.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { TimeZoneSelect } from '../../components/time-zone-select.js';
import { BUDGET_FIELDS, type BudgetDraft } from './budget-draft.js';

const LONGEST_NAME = 200;
const LARGEST_AMOUNT = 1_000_000_000;

const WHOSE = [
  { value: 'project', label: 'Whole project' },
  { value: 'agent', label: 'One agent' },
  { value: 'label', label: 'A label' },
] as const;

export interface BudgetFormProps {
  readonly initial: BudgetDraft;
  readonly submitLabel: string;
  readonly isBusy: boolean;
  /** The service's refusal; the input stays. */
  readonly error: Error | null;
  /** Absent: agents and period can't be changed any more. */
  readonly isNew?: boolean;
  /** The choice of its project. */
  readonly project?: ReactNode;
  readonly isComplete: (draft: BudgetDraft) => boolean;
  readonly onSubmit: (draft: BudgetDraft) => void;
  readonly onCancel: () => void;
}

export function BudgetForm(props: BudgetFormProps) {
  const {
    initial,
    submitLabel,
    isBusy,
    error,
    isNew = false,
    project,
    isComplete,
    onSubmit,
    onCancel,
  } = props;
  const [draft, setDraft] = useState(initial);
  const change = (part: Partial<BudgetDraft>) => setDraft((now) => ({ ...now, ...part }));
  const { fields, rest } = fieldErrors(error, BUDGET_FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(draft);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && rest.length > 0 && <ErrorNotice title="It was not saved" error={error} />}
        <TextInput
          label="Name"
          placeholder="the month of the team"
          maxLength={LONGEST_NAME}
          required
          data-autofocus
          value={draft.name}
          error={fields.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        {isNew && <ScopeFields draft={draft} errors={fields} project={project} onChange={change} />}
        <LimitFields draft={draft} errors={fields} isNew={isNew} onChange={change} />
        <Group gap="sm" align="flex-start">
          <NumberInput
            label="Warn at"
            suffix=" %"
            flex="1 1 7rem"
            min={0}
            max={100}
            required
            value={draft.warnAt}
            error={fields.warn_at}
            onChange={(warnAt) => change({ warnAt })}
          />
          <Select
            label="When exceeded"
            flex="2 1 14rem"
            data={[...actionsFor(draft.period)]}
            allowDeselect={false}
            value={draft.period === 'run' && draft.onExceeded === 'stop' ? 'pause' : draft.onExceeded}
            onChange={(action) => change({ onExceeded: action as Action })}
          />
        </Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isComplete(draft)}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  readonly draft: BudgetDraft;
  /** The service's refusals by field. */
  readonly errors: Record<string, string>;
  readonly onChange: (part: Partial<BudgetDraft>) => void;
}

/** The agents that it is for. */
function ScopeFields({ draft, errors, project, onChange }: FieldsProps & Pick<BudgetFormProps, 'project'>) {
  const id = useId();
  return (
    <div>
      <Input.Label id={id}>What it limits</Input.Label>
      <SegmentedControl
        aria-labelledby={id}
        fullWidth
        mb="xs"
        data={[...WHOSE]}
        value={draft.whose}
        onChange={(whose) => onChange({ whose })}
      />
      <Stack gap="sm">
        {draft.whose === 'agent' ? (
          <AgentSelect
            label="Agent"
            required
            value={draft.agentId}
            error={errors.agent_id}
            onChange={(agentId) => onChange({ agentId })}
          />
        ) : (
          project
        )}
        {draft.whose === 'label' && (
          <TextInput
            label="Label"
            description="All agents of the project that have it, as key:value."
            placeholder="team:billing"
            required
            spellCheck={false}
            autoCapitalize="off"
            value={draft.label}
            error={errors.label}
            onChange={(event) => onChange({ label: event.currentTarget.value })}
          />
        )}
      </Stack>
    </div>
  );
}

/** How much, in which time. */
function LimitFields({ draft, errors, isNew, onChange }: FieldsProps & { readonly isNew: boolean }) {
  const isDollars = draft.measure === 'usd';
  return (
    <>
      <Group gap="sm" align="flex-start">
        <NumberInput
          label="Limit"
          flex="1 1 8rem"
          min={0}
          max={LARGEST_AMOUNT}
          prefix={isDollars ? '$' : ''}
          thousandSeparator=","
          allowDecimal={isDollars || draft.measure === 'minutes'}
          required
          value={draft.amount}
          error={errors.limit}
          onChange={(amount) => onChange({ amount })}
        />
        <Select
          label="Unit"
          flex="1 1 10rem"
          data={[...MEASURES]}
          allowDeselect={false}
          value={draft.measure}
          onChange={(measure) => onChange({ measure: measure as Measure })}
        />
      </Group>
      {(isNew || draft.period !== 'run') && (
        <Group gap="sm" align="flex-start">
          {isNew && (
            <Select
              label="Period"
              flex="1 1 8rem"
              data={PERIODS.map(({ value, label }) => ({ value, label }))}
              allowDeselect={false}
              value={draft.period}
              onChange={(period) => onChange({ period: period as Period })}
            />
          )}
          {draft.period !== 'run' && (
            <TimeZoneSelect
              flex="1 1 10rem"
              value={draft.timezone}
              error={errors.timezone}
              onChange={(timezone) => onChange({ timezone })}
            />
          )}
        </Group>
      )}
    </>
  );
}
