import { Group, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUsersGroup } from '@tabler/icons-react';
import { useLoginMethods } from '../../api/login-methods.js';
import type { GroupRole, ProjectDetail } from '../../api/projects.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { useRefusals } from '../../components/required-role.js';
import { GroupsDialog } from './groups-dialog.js';

const COLUMNS: readonly Column<GroupRole>[] = [
  { key: 'group', header: 'Group', isName: true, isLong: true, cell: ({ group }) => group },
  { key: 'role', header: 'Role of its members', cell: ({ role }) => role },
];

/** The groups of the identity provider that give roles in a project; nothing where the service reads no groups. */
export function ProjectGroups({ project }: { readonly project: ProjectDetail }) {
  const { data: methods } = useLoginMethods();
  const [isChanging, changing] = useDisclosure(false);
  const refusal = useRefusals()(project.id, 'members');
  if (!methods?.groups) return null;
  return (
    <section aria-label="Groups">
      <Group justify="space-between" mt="lg" mb="xs">
        <Title order={2} size="h4">
          Groups
        </Title>
        {project.role !== null && (
          <GuardedButton
            variant="default"
            size="xs"
            leftSection={<IconUsersGroup size={14} aria-hidden />}
            refusal={refusal}
            onClick={changing.open}
          >
            Change groups
          </GuardedButton>
        )}
      </Group>
      {project.groups.length === 0 ? (
        <Text size="sm">No group of the identity provider has a role here.</Text>
      ) : (
        <DataTable
          label="Groups"
          columns={COLUMNS}
          rows={project.groups}
          rowKey={({ group }) => group}
          takesFocus
        />
      )}
      <Text size="sm" c="dimmed" mt="xs">
        The identity provider says who is in them, at each sign-in and from time to time. Anyone who misses a
        role can sign in again.
      </Text>
      {isChanging && <GroupsDialog project={project} onClose={changing.close} />}
    </section>
  );
}
