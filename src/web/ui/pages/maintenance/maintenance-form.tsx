import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Maintenance } from '@agent-control-plane/client';
import { fieldErrors } from '../../api/field-errors.js';
import { useEndMaintenance, useStartMaintenance } from '../../api/maintenance.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { isoOf, localText, MomentField } from '../../components/moment-field.js';

/** Maximum length of a reason in characters. */
const LONGEST_REASON = 500;

export function MaintenanceForm({ maintenance }: { readonly maintenance: Maintenance }) {
  const [reason, setReason] = useState(maintenance.reason ?? '');
  const [until, setUntil] = useState(localText(maintenance.until));
  const start = useStartMaintenance();
  const end = useEndMaintenance();
  const { fields, rest } = fieldErrors(start.error, ['reason', 'until']);
  const isOn = maintenance.is_on;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const terms = { reason: reason.trim(), ...(until !== null && { until: isoOf(until) }) };
    start.mutate(terms, {
      onSuccess: () => showDone(isOn ? 'Maintenance changed' : 'Changes are refused now'),
    });
  };
  const endNow = () => end.mutate(undefined, { onSuccess: () => showDone('Changes are allowed again') });
  return (
    <form onSubmit={submit}>
      <Stack maw={480}>
        {start.error && rest.length > 0 && (
          <ErrorNotice title="Maintenance was not started" error={start.error} />
        )}
        {end.error && <ErrorNotice title="Maintenance was not ended" error={end.error} />}
        <Textarea
          label="Reason"
          description="Shown to everyone whose change is refused."
          required
          withAsterisk={false}
          autosize
          minRows={2}
          maxLength={LONGEST_REASON}
          value={reason}
          error={fields.reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <MomentField
          label="End"
          description="Leave empty to keep it until an operator ends it."
          value={until}
          error={fields.until}
          onChange={setUntil}
        />
        <Group>
          <Button type="submit" color={isOn ? undefined : 'red.9'} loading={start.isPending}>
            {isOn ? 'Change maintenance' : 'Start maintenance'}
          </Button>
          {isOn && (
            <Button variant="default" loading={end.isPending} onClick={endNow}>
              End maintenance
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
