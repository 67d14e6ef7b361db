import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Webhook } from '@agent-control-plane/client';
import { useRecoverWebhook } from '../../api/webhooks.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';

const HOUR_MS = 3_600_000;

const PERIODS = [
  { value: '1', label: 'the last hour' },
  { value: '6', label: 'the last 6 hours' },
  { value: '24', label: 'the last 24 hours' },
  { value: '168', label: 'the last 7 days' },
  { value: '720', label: 'the last 30 days' },
];

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Sends all messages again that have failed since a date, after an outage of the endpoint. */
export function RecoverDialog({ webhook, onClose }: DialogProps) {
  const [hours, setHours] = useState('24');
  const recover = useRecoverWebhook(webhook.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    recover.mutate(new Date(Date.now() - Number(hours) * HOUR_MS), {
      onSuccess: ({ recovered, has_more }) => {
        // one request recovers a limited number: the dialog stays open for the next one
        if (!has_more) onClose();
        showDone(recovered === 1 ? 'One message is sent again' : `${recovered} messages are sent again`);
      },
    });
  };
  return (
    <Modal opened onClose={onClose} title="Send failed messages again?">
      <form onSubmit={submit}>
        <Stack>
          {recover.error && <ErrorNotice error={recover.error} title="Nothing was sent again" />}
          <Text size="sm">Each is sent like a new message, with all its retries.</Text>
          <Select
            label="Failed messages of"
            data={PERIODS}
            allowDeselect={false}
            value={hours}
            onChange={(value) => setHours(value ?? '24')}
          />
          {!webhook.is_active && (
            <Text size="sm" c="var(--warn)">
              The webhook is switched off: switch it on first.
            </Text>
          )}
          {recover.data?.has_more && (
            <Text size="sm" role="status">
              {recover.data.recovered} are on their way, and there are more: send again.
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              {recover.data ? 'Close' : 'Cancel'}
            </Button>
            <Button type="submit" loading={recover.isPending} disabled={!webhook.is_active}>
              Send again
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
