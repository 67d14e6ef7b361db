import { ActionIcon, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { type ProjectDetail, type Role, useChangeGroups } from '../../api/projects.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { ROLES } from '../../components/required-role.js';

interface DialogProps {
  readonly project: ProjectDetail;
  readonly onClose: () => void;
}

interface Row {
  /** Identity of the row while its group is edited. */
  readonly key: number;
  readonly group: string;
  readonly role: Role;
}

/** Replaces the groups of a project that give roles. */
export function GroupsDialog({ project, onClose }: DialogProps) {
  const change = useChangeGroups(project.id);
  const [rows, setRows] = useState<readonly Row[]>(() =>
    project.groups.length === 0 ? [emptyRow(0)] : project.groups.map((given, key) => ({ key, ...given })),
  );
  const [nextKey, setNextKey] = useState(rows.length);
  const wanted = rows.filter(({ group }) => group !== '').map(({ group, role }) => ({ group, role }));
  const isRepeated = ({ group }: Row, index: number) =>
    group !== '' && rows.findIndex((row) => row.group === group) < index;
  const edit = (key: number, edited: Partial<Row>) =>
    setRows((now) => now.map((row) => (row.key === key ? { ...row, ...edited } : row)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(wanted, {
      onSuccess: () => {
        onClose();
        showDone('The groups are changed');
      },
    });
  };
  return (
    <Modal opened onClose={onClose} title={`Groups of ${project.name}`} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            A group is written as the identity provider names it. People lose the role of a group that you
            remove at once.
          </Text>
          {change.error && <ErrorNotice error={change.error} title="The groups were not changed" />}
          {rows.map((row, index) => (
            <GroupRow
              key={row.key}
              row={row}
              number={index + 1}
              error={isRepeated(row, index) ? 'Each group can be listed only once' : undefined}
              onEdit={(edited) => edit(row.key, edited)}
              onRemove={() => setRows((now) => now.filter(({ key }) => key !== row.key))}
            />
          ))}
          <Group justify="space-between">
            <Button
              variant="subtle"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => {
                setRows((now) => [...now, emptyRow(nextKey)]);
                setNextKey(nextKey + 1);
              }}
            >
              Add a group
            </Button>
            <Group>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={change.isPending} disabled={rows.some(isRepeated)}>
                Save groups
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const emptyRow = (key: number): Row => ({ key, group: '', role: 'deployer' });

interface GroupRowProps {
  readonly row: Row;
  readonly number: number;
  readonly error: string | undefined;
  readonly onEdit: (edited: Partial<Row>) => void;
  readonly onRemove: () => void;
}

function GroupRow({ row, number, error, onEdit, onRemove }: GroupRowProps) {
  return (
    <Group wrap="nowrap" align="flex-start" gap="xs">
      <TextInput
        aria-label={`Group ${number}`}
        placeholder="platform-team"
        maxLength={200}
        flex={1}
        value={row.group}
        error={error}
        onChange={(event) => onEdit({ group: event.currentTarget.value })}
      />
      <Select
        aria-label={`Role of group ${number}`}
        data={[...ROLES]}
        allowDeselect={false}
        w={{ base: 125, sm: 140 }}
        value={row.role}
        onChange={(role) => role !== null && onEdit({ role })}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Remove group ${number}`}
        onClick={onRemove}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
