import { Group, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconGauge } from '@tabler/icons-react';
import type { ProjectDetail } from '../../api/projects.js';
import { type ProjectLimit, useProjectLimits } from '../../api/project-limits.js';
import { useUser } from '../../app/require-session.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { Pending } from '../../components/pending.js';
import { limitName, limitText } from './limit-words.js';
import { LimitsDialog } from './limits-dialog.js';

const COLUMNS: readonly Column<ProjectLimit>[] = [
  { key: 'limit', header: 'Limit', isName: true, cell: ({ kind }) => limitName(kind) },
  {
    key: 'used',
    header: 'In use',
    align: 'right',
    cell: ({ kind, used }) => (used === null ? null : limitText(kind, used)),
  },
  {
    key: 'most',
    header: 'At most',
    align: 'right',
    cell: ({ kind, limit }) => (limit === null ? 'no limit' : limitText(kind, limit)),
  },
  {
    key: 'set',
    header: 'Set for',
    cell: ({ own_limit: own }) => (own === null ? 'all projects' : 'this project'),
  },
];

/** The limits of a project with their use, which operators change. */
export function ProjectLimits({ project }: { readonly project: ProjectDetail }) {
  const { data, error, refetch } = useProjectLimits(project.id);
  const isOperator = useUser().is_admin;
  const [isChanging, changing] = useDisclosure(false);
  return (
    <section aria-label="Limits">
      <Group justify="space-between" mt="lg" mb="xs">
        <Title order={2} size="h4">
          Limits
        </Title>
        <GuardedButton
          variant="default"
          size="xs"
          leftSection={<IconGauge size={14} aria-hidden />}
          refusal={isOperator ? null : 'Only operators change limits'}
          onClick={changing.open}
        >
          Change limits
        </GuardedButton>
      </Group>
      {error ? (
        <ErrorNotice error={error} title="Couldn’t load the limits" onRetry={() => void refetch()} />
      ) : data ? (
        <DataTable
          label="Limits"
          columns={COLUMNS}
          rows={data.limits}
          rowKey={({ kind }) => kind}
          takesFocus
        />
      ) : (
        <Pending rows={4} />
      )}
      {isChanging && data && <LimitsDialog project={project} limits={data.limits} onClose={changing.close} />}
    </section>
  );
}
