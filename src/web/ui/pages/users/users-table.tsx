import { ActionIcon, Menu, Text } from '@mantine/core';
import {
  IconDots,
  IconLockOpen,
  IconShieldDown,
  IconShieldOff,
  IconShieldUp,
  IconTrash,
  IconUserCheck,
  IconUserOff,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { User } from '@agent-control-plane/client';
import { useUser } from '../../app/require-session.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { DeleteAccountDialog } from './delete-account-dialog.js';
import { PasswordResetDialog } from './password-reset-dialog.js';
import { RemoveFactorsDialog } from './remove-factors-dialog.js';
import { type UserChange, UserChangeDialog } from './user-change-dialog.js';

function Person({ user }: { readonly user: User }) {
  const isSelf = useUser().id === user.id;
  return (
    <>
      {user.name ?? user.email}
      {isSelf && (
        <Text span size="xs" c="dimmed" fw={400}>
          {' '}
          (you)
        </Text>
      )}
      {user.name !== null && (
        <Text size="xs" c="dimmed" fw={400}>
          {user.email}
        </Text>
      )}
    </>
  );
}

const COLUMNS: readonly Column<User>[] = [
  { key: 'name', header: 'Person', isName: true, cell: (user) => <Person user={user} /> },
  {
    key: 'role',
    header: 'Role',
    cell: (user) => (user.is_admin ? <strong>operator</strong> : 'user'),
  },
  {
    key: 'state',
    header: 'Account',
    cell: (user) => (
      <StatusBadge
        status={user.is_active ? 'active' : 'inactive'}
        label={user.is_active ? 'active' : 'deactivated'}
      />
    ),
  },
  {
    key: 'factor',
    header: 'Second factor',
    // which keeps its header on a card, too: a mere "no" says nothing
    align: 'right',
    cell: (user) => (user.has_second_factor ? 'yes' : 'no'),
  },
  { key: 'created', header: 'Since', isDetail: true, cell: (user) => <TimeAgo at={user.created_at} /> },
];

type Asked = { readonly user: User; readonly change: UserChange | 'reset' | 'factors' | 'delete' };

export function UsersTable({ users }: { readonly users: readonly User[] }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const columns: readonly Column<User>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (user) => <UserMenu user={user} onAsk={(change) => setAsked({ user, change })} />,
    },
  ];
  return (
    <>
      <DataTable label="Users" columns={columns} rows={users} rowKey={(user) => user.id} />
      {asked?.change === 'reset' && <PasswordResetDialog user={asked.user} onClose={close} />}
      {asked?.change === 'factors' && <RemoveFactorsDialog user={asked.user} onClose={close} />}
      {asked?.change === 'delete' && <DeleteAccountDialog user={asked.user} onClose={close} />}
      {asked && asked.change !== 'reset' && asked.change !== 'factors' && asked.change !== 'delete' && (
        <UserChangeDialog user={asked.user} change={asked.change} onClose={close} />
      )}
    </>
  );
}

interface UserMenuProps {
  readonly user: User;
  readonly onAsk: (change: Asked['change']) => void;
}

function UserMenu({ user, onAsk }: UserMenuProps) {
  const isSelf = useUser().id === user.id;
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.name ?? user.email}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconLockOpen size={16} aria-hidden />} onClick={() => onAsk('reset')}>
          Reset password
        </Menu.Item>
        {user.has_second_factor && (
          <Menu.Item leftSection={<IconShieldOff size={16} aria-hidden />} onClick={() => onAsk('factors')}>
            Remove second factor
          </Menu.Item>
        )}
        {user.is_admin ? (
          <Menu.Item leftSection={<IconShieldDown size={16} aria-hidden />} onClick={() => onAsk('withdraw')}>
            Withdraw operator rights
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconShieldUp size={16} aria-hidden />} onClick={() => onAsk('grant')}>
            Make an operator
          </Menu.Item>
        )}
        {user.is_active ? (
          <Menu.Item
            color="var(--bad)"
            leftSection={<IconUserOff size={16} aria-hidden />}
            onClick={() => onAsk('deactivate')}
          >
            Deactivate account
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconUserCheck size={16} aria-hidden />} onClick={() => onAsk('activate')}>
            Activate account
          </Menu.Item>
        )}
        {!isSelf && (
          <Menu.Item
            color="var(--bad)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => onAsk('delete')}
          >
            Delete account
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
