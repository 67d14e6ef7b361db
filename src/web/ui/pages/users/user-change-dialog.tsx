import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { User } from '@agent-control-plane/client';
import { ApiError } from '../../api/request.js';
import { type UserChanges, useUpdateUser } from '../../api/users.js';
import { useUser } from '../../app/require-session.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

export type UserChange = 'activate' | 'deactivate' | 'grant' | 'withdraw';

interface Wording {
  readonly title: (name: string) => string;
  readonly means: string;
  readonly confirm: string;
  readonly done: (name: string) => string;
  readonly changes: UserChanges;
}

const WORDINGS: Readonly<Record<UserChange, Wording>> = {
  activate: {
    title: (name) => `Activate ${name}?`,
    means: 'They can sign in again, and their API keys work again.',
    confirm: 'Activate account',
    done: (name) => `${name} can sign in again`,
    changes: { is_active: true },
  },
  deactivate: {
    title: (name) => `Deactivate ${name}?`,
    means:
      'All sessions of this account end, and its API keys are refused from now on. Its agents keep running, unless you stop them, too.',
    confirm: 'Deactivate account',
    done: (name) => `${name} is deactivated`,
    changes: { is_active: false },
  },
  grant: {
    title: (name) => `Make ${name} an operator?`,
    means:
      'Operators see all users and leads, can invite and deactivate people, make others operators, and stop and delete others’ agents.',
    confirm: 'Make operator',
    done: (name) => `${name} is now an operator`,
    changes: { is_admin: true },
  },
  withdraw: {
    title: (name) => `Withdraw the operator rights of ${name}?`,
    means: 'They keep their account and their agents.',
    confirm: 'Withdraw rights',
    done: (name) => `${name} is no longer an operator`,
    changes: { is_admin: false },
  },
};

interface DialogProps {
  readonly user: User;
  readonly change: UserChange;
  readonly onClose: () => void;
}

export function UserChangeDialog({ user, change, onClose }: DialogProps) {
  const update = useUpdateUser(user.id);
  const [stopsAgents, setStopsAgents] = useState(false);
  const isSelf = useUser().id === user.id;
  const wording = WORDINGS[change];
  const isTaking = change === 'deactivate' || change === 'withdraw';
  const name = user.name ?? user.email;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={wording.title(name)}
      confirmLabel={wording.confirm}
      isDestructive={isTaking}
      isBusy={update.isPending}
      error={explained(update.error)}
      onConfirm={() =>
        update.mutate(
          { ...wording.changes, ...(stopsAgents && { stop_agents: true }) },
          {
            onSuccess: () => {
              onClose();
              showDone(wording.done(name));
            },
          },
        )
      }
    >
      <Stack gap="xs">
        <Text size="sm">{wording.means}</Text>
        {change === 'deactivate' && (
          <Checkbox
            label="Stop its agents, too"
            checked={stopsAgents}
            onChange={(event) => setStopsAgents(event.currentTarget.checked)}
          />
        )}
        {isSelf && isTaking && (
          <Text size="sm" fw={600}>
            This is your own account: you can’t undo it yourself.
          </Text>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

/** Adds to the service's message what to do. */
function explained(error: Error | null): Error | null {
  if (!(error instanceof ApiError) || error.status !== 409) return error;
  return new ApiError(409, [`${error.message}: make somebody else an operator first.`]);
}
