import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFolderOff, IconLogout, IconUserPlus } from '@tabler/icons-react';
import { useNavigate, useParams } from 'react-router';
import { type Project, type ProjectDetail, useAnyProject, useMembers } from '../../api/projects.js';
import { useUser } from '../../app/require-session.js';
import { EntityId } from '../../components/entity-id.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useRefusals } from '../../components/required-role.js';
import { ResourcePage } from '../../components/resource-page.js';
import { ProjectMenu } from '../projects/project-menu.js';
import { AddMemberDialog } from './add-member-dialog.js';
import { MembersTable } from './members-table.js';
import { ProjectGroups } from './project-groups.js';
import { ProjectLimits } from './project-limits.js';
import { RemoveMemberDialog } from './remove-member-dialog.js';

const BACK = { to: '/projects', label: 'Projects' };

/** A project and its members. */
export function ProjectPage() {
  const { id = '' } = useParams();
  return (
    <ResourcePage
      noun="Project"
      back={BACK}
      query={useAnyProject(id)}
      missingIcon={IconFolderOff}
      missingReason="It may have been deleted, or you are no member of it any more."
    >
      {(found) => <Loaded key={found.id} project={found} />}
    </ResourcePage>
  );
}

function Loaded({ project }: { readonly project: ProjectDetail }) {
  const [isAdding, adding] = useDisclosure(false);
  const refusal = useRefusals()(project.id, 'members');
  return (
    <>
      <PageHeader
        title={project.name}
        back={BACK}
        actions={
          !project.is_personal && (
            <>
              <GuardedButton
                leftSection={<IconUserPlus size={16} aria-hidden />}
                refusal={refusal}
                onClick={adding.open}
              >
                Add member
              </GuardedButton>
              {project.role !== null && <Leave project={project} />}
              <ProjectMenu project={project} />
            </>
          )
        }
      >
        <span>
          {project.role === null ? 'You are an operator and no member' : `Your role: ${project.role}`}
        </span>
        <EntityId id={project.id} what="project id" />
      </PageHeader>
      {project.is_personal ? (
        <Text size="sm">
          Your personal project. Nobody else can be its member, and it can’t be renamed or deleted.
        </Text>
      ) : (
        <>
          <Members project={project} />
          <ProjectGroups project={project} />
        </>
      )}
      <ProjectLimits project={project} />
      {isAdding && <AddMemberDialog project={project} onClose={adding.close} />}
    </>
  );
}

function Members({ project }: { readonly project: Project }) {
  const list = useMembers(project.id);
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the members" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={4} />;
  return (
    <>
      <MembersTable project={project} members={list.rows} />
      <LoadMore list={list} />
    </>
  );
}

/** Lets the user leave, unless the membership comes from a group or is that of the last owner. */
function Leave({ project }: { readonly project: Project }) {
  const { id: ownId } = useUser();
  const [isAsked, asked] = useDisclosure(false);
  const navigate = useNavigate();
  const { rows, isPending } = useMembers(project.id);
  const own = rows.find(({ user_id, source }) => user_id === ownId && source === 'direct');
  const isLastOwner =
    project.role === 'owner' && !rows.some(({ user_id, role }) => role === 'owner' && user_id !== ownId);
  const reason =
    own === undefined
      ? 'A group of the identity provider makes you a member'
      : 'You are the only owner: make somebody else an owner, or delete the project';
  if (isPending) return null;
  return (
    <>
      <GuardedButton
        variant="default"
        leftSection={<IconLogout size={16} aria-hidden />}
        refusal={own === undefined || isLastOwner ? reason : null}
        onClick={asked.open}
      >
        Leave
      </GuardedButton>
      {isAsked && own && (
        <RemoveMemberDialog
          project={project}
          member={own}
          onClose={asked.close}
          onRemoved={() => void navigate('/projects', { replace: true })}
        />
      )}
    </>
  );
}
