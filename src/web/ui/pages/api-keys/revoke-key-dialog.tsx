import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey } from '@agent-control-plane/client';
import { useRevokeApiKey } from '../../api/api-keys.js';
import { type MadeByKey, useMadeByKey, useRevokeMade } from '../../api/audit.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, onClose }: DialogProps) {
  const [isMadeToo, setMadeToo] = useState(false);
  const revoke = useRevokeApiKey(apiKey.id);
  const revokeMade = useRevokeMade();
  const { data: made } = useMadeByKey(apiKey);
  const confirm = async () => {
    await revoke.mutateAsync();
    if (isMadeToo && made) await revokeMade.mutateAsync(made);
    onClose();
    showDone(`${apiKey.name} is revoked`);
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${apiKey.name}?`}
      confirmLabel="Revoke key"
      isBusy={revoke.isPending || revokeMade.isPending}
      error={revoke.error ?? revokeMade.error}
      // a failure is shown by the dialog
      onConfirm={() => void confirm().catch(() => undefined)}
    >
      <Stack>
        <Text inherit>
          Everything that uses it is refused from now on
          {apiKey.agent_id !== null && ', including the agent’s runtime'}. That can’t be undone.
        </Text>
        {made && made.agents.length + made.webhooks.length > 0 && (
          <Checkbox
            label="Also revoke what it created"
            description={`${summaryOf(made)}. The agents’ keys are revoked and the webhooks deleted; the agents stay.`}
            checked={isMadeToo}
            onChange={(event) => setMadeToo(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}

function summaryOf({ agents, webhooks }: MadeByKey): string {
  return `It created agents (${agents.length}) and webhooks (${webhooks.length})`;
}
