import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fieldErrors } from '../api/field-errors.js';
import type { ScheduleTerms } from '../api/schedules.js';
import { ErrorNotice } from './error-notice.js';
import { MoreFields } from './more-fields.js';
import { RunInputField } from './run-input-field.js';
import { RunRuleFields } from './run-rule-fields.js';
import { ScheduleClockFields } from './schedule-clock-fields.js';
import { SCHEDULE_FIELDS, type ScheduleDraft, termsOf } from './schedule-draft.js';
import { OVERLAPS } from './schedule-words.js';

const LONGEST_NAME = 200;

export interface ScheduleFormProps {
  readonly initial: ScheduleDraft;
  readonly submitLabel: string;
  readonly isBusy: boolean;
  /** The service's refusal; the input stays. */
  readonly error: Error | null;
  /** The choice of its agent. */
  readonly agent?: ReactNode;
  /** True: the agent is yet to be chosen. */
  readonly isIncomplete?: boolean;
  readonly onSubmit: (terms: ScheduleTerms) => void;
  readonly onCancel: () => void;
}

export function ScheduleForm(props: ScheduleFormProps) {
  const { initial, submitLabel, isBusy, error, agent, isIncomplete = false, onSubmit, onCancel } = props;
  const [draft, setDraft] = useState(initial);
  const change = (part: Partial<ScheduleDraft>) => setDraft((now) => ({ ...now, ...part }));
  const { fields, rest } = fieldErrors(error, SCHEDULE_FIELDS);
  const terms = termsOf(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (terms !== null) onSubmit(terms);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && rest.length > 0 && <ErrorNotice title="It was not saved" error={error} />}
        {agent}
        <TextInput
          label="Name"
          description="Optional. Its runs get the same name."
          placeholder="daily report"
          maxLength={LONGEST_NAME}
          data-autofocus
          value={draft.name}
          error={fields.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <ScheduleClockFields draft={draft} errors={fields} onChange={change} />
        <RunInputField
          typed={draft.typed}
          onChange={(typed) => change({ typed })}
          error={fields.input}
          minRows={3}
        />
        <Select
          label="While the previous run is still going"
          data={OVERLAPS}
          allowDeselect={false}
          value={draft.overlap}
          onChange={(overlap) => change({ overlap: overlap as ScheduleDraft['overlap'] })}
        />
        <Checkbox
          label="Catch up on missed runs"
          description="If the service was down when runs were due, one run makes up for all of them. Otherwise they are skipped."
          checked={draft.catchesUp}
          onChange={(event) => change({ catchesUp: event.currentTarget.checked })}
        />
        <MoreFields>
          <RunRuleFields rules={draft.rules} errors={fields} onChange={(rules) => change({ rules })} />
        </MoreFields>
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={terms === null || isIncomplete}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
