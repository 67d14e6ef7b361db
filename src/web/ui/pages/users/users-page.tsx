import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconUsers } from '@tabler/icons-react';
import { useUsers } from '../../api/users.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { InviteDialog } from './invite-dialog.js';
import { UsersTable } from './users-table.js';

/** Users and operators of the service; operators only. */
export function UsersPage() {
  const list = useUsers();
  const [isInviting, inviting] = useDisclosure(false);
  return (
    <>
      <PageHeader
        title="Users"
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={inviting.open}>
            Invite
          </Button>
        }
      >
        <span>Everyone with an account on this service.</span>
      </PageHeader>
      <List list={list} />
      <InviteDialog isOpen={isInviting} onClose={inviting.close} />
    </>
  );
}

function List({ list }: { readonly list: ReturnType<typeof useUsers> }) {
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the users" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={6} />;
  if (list.rows.length === 0) return <EmptyState icon={IconUsers} title="No users" />;
  return (
    <>
      <UsersTable users={list.rows} />
      <LoadMore list={list} />
    </>
  );
}
