import { Button, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFolders, IconPlus } from '@tabler/icons-react';
import { useNavigate, useSearchParams } from 'react-router';
import { useCreateProject, useHasSharedProjects, useProjects } from '../../api/projects.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { useUser } from '../../app/require-session.js';
import { showDone } from '../../components/announce.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { EverybodysProjects } from './everybodys-projects.js';
import { ProjectNameDialog } from './project-name-dialog.js';
import { ProjectsTable } from './projects-table.js';

const WHOSE = [
  { label: 'Yours', value: 'yours' },
  { label: 'Everybody’s', value: 'everybodys' },
];

/** The user's projects or, for operators who choose it, everybody's. */
export function ProjectsPage() {
  const [isCreating, creating] = useDisclosure(false);
  const hasProjects = useHasSharedProjects();
  const isOperator = useUser().is_admin;
  const [whose, choose] = useWhose();
  const showsAll = isOperator && whose === 'everybodys';
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={creating.open}>
      Create project
    </Button>
  );
  return (
    <>
      <PageHeader title="Projects" actions={(hasProjects || showsAll) && create}>
        <span>A project owns agents, webhooks and keys. Its members share them, each in a role.</span>
      </PageHeader>
      {isOperator && (
        <SegmentedControl
          size="xs"
          mb="sm"
          aria-label="Whose projects"
          data={WHOSE}
          value={whose}
          onChange={choose}
        />
      )}
      {showsAll ? <EverybodysProjects /> : hasProjects ? <ProjectsTable /> : <Nothing create={create} />}
      {isCreating && <CreateDialog onClose={creating.close} />}
    </>
  );
}

/** The choice is in the address, so that a page that was left for a project comes back as it was. */
function useWhose(): [whose: string, choose: (whose: string) => void] {
  const [search, setSearch] = useSearchParams();
  const chosen = WHOSE.find(({ value }) => value === search.get('whose')) ?? WHOSE[0]!;
  const choose = (whose: string) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now);
        next.set('whose', whose);
        return next;
      },
      { replace: true },
    );
  return [chosen.value, choose];
}

/** A text in place of the list while the personal project is the only one. */
function Nothing({ create }: { readonly create: React.ReactNode }) {
  const { error, isPending, refetch } = useProjects();
  if (error) {
    return <ErrorNotice error={error} title="Couldn’t load the projects" onRetry={() => void refetch()} />;
  }
  if (isPending) return <Pending rows={3} />;
  return (
    <EmptyState icon={IconFolders} title="No shared projects yet" action={create}>
      Everything you create is in your personal project, which only you can see. Create a project to share
      agents with others.
    </EmptyState>
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const create = useCreateProject();
  const [keyFor, settle] = useSubmissionKey();
  return (
    <ProjectNameDialog
      title="Create a project"
      submitLabel="Create project"
      initial=""
      isBusy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(name) =>
        create.mutate(
          { name, key: keyFor(name) },
          {
            onSuccess: ({ id }) => {
              settle();
              onClose();
              showDone(`${name} is created`);
              void navigate(`/projects/${id}`);
            },
          },
        )
      }
    />
  );
}
