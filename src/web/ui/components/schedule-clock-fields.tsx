import { Button, Group, Input, NumberInput, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useId } from 'react';
import type { ScheduleDraft } from './schedule-draft.js';
import { type Unit, UNITS } from './schedule-words.js';
import { TimeZoneSelect } from './time-zone-select.js';
import classes from './schedule-clock-fields.module.css';

/** Expressions that most people want. */
const USUAL = [
  { label: 'Hourly', cron: '0 * * * *' },
  { label: 'Daily at 9', cron: '0 9 * * *' },
  { label: 'Weekdays at 9', cron: '0 9 * * MON-FRI' },
  { label: 'Mondays at 9', cron: '0 9 * * MON' },
  { label: 'Monthly', cron: '0 9 1 * *' },
] as const;

const KINDS = [
  { value: 'cron', label: 'At set times' },
  { value: 'every', label: 'At an interval' },
] as const;

export interface ScheduleClockFieldsProps {
  readonly draft: ScheduleDraft;
  /** The service's refusals by field. */
  readonly errors: Record<string, string>;
  readonly onChange: (part: Partial<ScheduleDraft>) => void;
}

/** When a schedule is due. */
export function ScheduleClockFields({ draft, errors, onChange }: ScheduleClockFieldsProps) {
  const id = useId();
  return (
    <div>
      <Input.Label id={id}>When it runs</Input.Label>
      <SegmentedControl
        aria-labelledby={id}
        fullWidth
        mb="xs"
        data={[...KINDS]}
        value={draft.kind}
        onChange={(kind) => onChange({ kind: kind })}
      />
      {draft.kind === 'cron' ? (
        <CronFields draft={draft} errors={errors} onChange={onChange} />
      ) : (
        <Group gap="sm" align="flex-start">
          <NumberInput
            label="Each"
            flex="1 1 7rem"
            min={1}
            allowDecimal={false}
            value={draft.every}
            error={errors.every_seconds}
            onChange={(every) => onChange({ every })}
          />
          <Select
            label="Unit"
            flex="1 1 7rem"
            data={[...UNITS]}
            allowDeselect={false}
            value={draft.unit}
            onChange={(unit) => onChange({ unit: unit as Unit })}
          />
        </Group>
      )}
    </div>
  );
}

function CronFields({ draft, errors, onChange }: ScheduleClockFieldsProps) {
  return (
    <>
      <Group gap={6} mb="xs">
        {USUAL.map(({ label, cron }) => (
          <Button
            key={label}
            size="compact-xs"
            variant="default"
            aria-pressed={draft.cron.trim() === cron}
            onClick={() => onChange({ cron })}
          >
            {label}
          </Button>
        ))}
      </Group>
      <Group gap="sm" align="flex-start">
        <TextInput
          label="Cron expression"
          description="Minute, hour, day, month, weekday."
          flex="1 1 11rem"
          maxLength={100}
          spellCheck={false}
          autoCapitalize="off"
          classNames={{ input: classes.cron }}
          value={draft.cron}
          error={errors.cron}
          onChange={(event) => onChange({ cron: event.currentTarget.value })}
        />
        <TimeZoneSelect
          description="Times are in this time zone."
          flex="1 1 11rem"
          value={draft.timezone}
          error={errors.timezone}
          onChange={(timezone) => onChange({ timezone })}
        />
      </Group>
    </>
  );
}
