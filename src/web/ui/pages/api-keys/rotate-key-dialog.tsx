import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ApiKey } from '@agent-control-plane/client';
import { useRotateApiKey } from '../../api/api-keys.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { NewSecret } from '../../components/new-secret.js';

/** Grace periods in seconds. */
const GRACES = [
  { value: '0', label: 'Stops at once' },
  { value: '300', label: 'Works for 5 more minutes' },
  { value: '3600', label: 'Works for 1 more hour' },
  { value: '28800', label: 'Works for 8 more hours' },
  { value: '86400', label: 'Works for 24 more hours' },
];

interface DialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** Replaces a key. The old one may stay valid for a grace period, so that programs can change over. */
export function RotateKeyDialog({ apiKey, onClose }: DialogProps) {
  const [grace, setGrace] = useState('3600');
  const rotate = useRotateApiKey(apiKey.id);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rotate.mutate(Number(grace));
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={rotate.data ? `${apiKey.name} has a new key` : `Rotate ${apiKey.name}?`}
      closeOnClickOutside={!rotate.data}
      closeOnEscape={!rotate.data}
    >
      {rotate.data ? (
        <NewSecret secret={rotate.data.key} what="new key" onDone={onClose}>
          {grace === '0' ? 'The old one no longer works.' : 'Start using it before the old one stops.'}
        </NewSecret>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {rotate.error && <ErrorNotice error={rotate.error} title="The key was not rotated" />}
            <Text size="sm">A new key with the same name replaces it. It is shown once.</Text>
            <Select
              label="The old key"
              data={GRACES}
              allowDeselect={false}
              value={grace}
              onChange={(value) => setGrace(value ?? '0')}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose} data-autofocus>
                Cancel
              </Button>
              <Button type="submit" loading={rotate.isPending}>
                Rotate key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
