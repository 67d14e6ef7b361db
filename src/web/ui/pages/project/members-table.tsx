import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots, IconUserCog, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import type { Member, Project } from '../../api/projects.js';
import { useUser } from '../../app/require-session.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { GuardedItem } from '../../components/guarded-item.js';
import { useRefusals } from '../../components/required-role.js';
import { TimeAgo } from '../../components/time-ago.js';
import { ChangeRoleDialog } from './change-role-dialog.js';
import { RemoveMemberDialog } from './remove-member-dialog.js';

function Person({ member }: { readonly member: Member }) {
  const isSelf = useUser().id === member.user_id;
  return (
    <>
      {member.name ?? member.email}
      {isSelf && (
        <Text span size="xs" c="dimmed" fw={400}>
          {' '}
          (you)
        </Text>
      )}
      {member.name !== null && (
        <Text size="xs" c="dimmed" fw={400}>
          {member.email}
        </Text>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Member>[] = [
  { key: 'name', header: 'Person', isName: true, isLong: true, cell: (member) => <Person member={member} /> },
  { key: 'role', header: 'Role', cell: ({ role }) => role },
  {
    key: 'source',
    header: 'Added',
    cell: ({ source }) => (source === 'group' ? 'by a group' : 'directly'),
  },
  { key: 'since', header: 'Since', isDetail: true, cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

interface MembersTableProps {
  readonly project: Project;
  readonly members: readonly Member[];
}

type Asked = { readonly member: Member; readonly what: 'change' | 'remove' };

export function MembersTable({ project, members }: MembersTableProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const owners = new Set(members.filter(({ role }) => role === 'owner').map(({ user_id }) => user_id));
  const columns: readonly Column<Member>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (member) => (
        <MemberMenu
          project={project}
          member={member}
          isLastOwner={owners.size === 1 && owners.has(member.user_id)}
          onAsk={(what) => setAsked({ member, what })}
        />
      ),
    },
  ];
  return (
    <>
      <DataTable label="Members" columns={columns} rows={members} rowKey={({ user_id }) => user_id} />
      {asked?.what === 'change' && (
        <ChangeRoleDialog project={project} member={asked.member} onClose={close} />
      )}
      {asked?.what === 'remove' && (
        <RemoveMemberDialog project={project} member={asked.member} onClose={close} />
      )}
    </>
  );
}

interface MemberMenuProps {
  readonly project: Project;
  readonly member: Member;
  readonly isLastOwner: boolean;
  readonly onAsk: (what: Asked['what']) => void;
}

function MemberMenu({ project, member, isLastOwner, onAsk }: MemberMenuProps) {
  const refusal =
    useRefusals()(project.id, 'members') ??
    (member.source === 'group' ? 'A group of the identity provider sets this role' : null) ??
    (isLastOwner ? 'A project needs an owner' : null);
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${member.name ?? member.email}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <GuardedItem
          leftSection={<IconUserCog size={16} aria-hidden />}
          refusal={refusal}
          onClick={() => onAsk('change')}
        >
          Change role
        </GuardedItem>
        <GuardedItem
          color="var(--bad)"
          leftSection={<IconUserMinus size={16} aria-hidden />}
          refusal={refusal}
          onClick={() => onAsk('remove')}
        >
          Remove member
        </GuardedItem>
      </Menu.Dropdown>
    </Menu>
  );
}
