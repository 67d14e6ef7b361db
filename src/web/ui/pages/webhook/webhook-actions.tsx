import { ActionIcon, Menu } from '@mantine/core';
import {
  IconDots,
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconSend,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { Webhook } from '@agent-control-plane/client';
import { type useTestWebhook, useUpdateWebhook } from '../../api/webhooks.js';
import { showDone, showFailure } from '../../components/announce.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { GuardedItem } from '../../components/guarded-item.js';
import { useRefusals } from '../../components/required-role.js';
import { DeleteWebhookDialog } from './delete-webhook-dialog.js';
import { EditWebhookDialog } from './edit-webhook-dialog.js';
import { RecoverDialog } from './recover-dialog.js';
import { RotateSecretDialog } from './rotate-secret-dialog.js';

type Asked = 'edit' | 'rotate' | 'recover' | 'delete';

interface ActionsProps {
  readonly webhook: Webhook;
  readonly test: ReturnType<typeof useTestWebhook>;
}

export function WebhookActions({ webhook, test }: ActionsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const refusal = useRefusals()(webhook.project_id, 'webhooks');
  return (
    <>
      <GuardedButton
        leftSection={<IconSend size={16} aria-hidden />}
        refusal={refusal}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        Send a test
      </GuardedButton>
      <GuardedButton
        variant="default"
        refusal={refusal}
        leftSection={<IconPencil size={16} aria-hidden />}
        onClick={() => setAsked('edit')}
      >
        Edit
      </GuardedButton>
      <MoreActions webhook={webhook} refusal={refusal} onAsk={setAsked} />
      {asked === 'edit' && <EditWebhookDialog webhook={webhook} onClose={close} />}
      {asked === 'rotate' && <RotateSecretDialog webhook={webhook} onClose={close} />}
      {asked === 'recover' && <RecoverDialog webhook={webhook} onClose={close} />}
      {asked === 'delete' && <DeleteWebhookDialog webhook={webhook} onClose={close} />}
    </>
  );
}

interface MoreProps {
  readonly webhook: Webhook;
  readonly refusal: string | null;
  readonly onAsk: (what: Asked) => void;
}

function MoreActions({ webhook, refusal, onAsk }: MoreProps) {
  const update = useUpdateWebhook(webhook.id);
  const switchTo = (is_active: boolean) =>
    update.mutate(
      { is_active },
      {
        onSuccess: () => showDone(is_active ? 'It is switched on' : 'It is switched off'),
        onError: (error) => showFailure('It was not switched', error),
      },
    );
  return (
    <Menu position="bottom-end" width={230} withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More actions">
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <GuardedItem
          refusal={refusal}
          leftSection={<IconHistory size={16} aria-hidden />}
          onClick={() => onAsk('recover')}
        >
          Send failed ones again
        </GuardedItem>
        <GuardedItem
          refusal={refusal}
          leftSection={<IconKey size={16} aria-hidden />}
          onClick={() => onAsk('rotate')}
        >
          Rotate secret
        </GuardedItem>
        {webhook.is_active ? (
          <GuardedItem
            refusal={refusal}
            leftSection={<IconPlayerStop size={16} aria-hidden />}
            onClick={() => switchTo(false)}
          >
            Switch off
          </GuardedItem>
        ) : (
          <GuardedItem
            refusal={refusal}
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            onClick={() => switchTo(true)}
          >
            Switch on
          </GuardedItem>
        )}
        <GuardedItem
          refusal={refusal}
          color="var(--bad)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onAsk('delete')}
        >
          Delete webhook
        </GuardedItem>
      </Menu.Dropdown>
    </Menu>
  );
}
