import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { Session } from '@agent-control-plane/client';
import { useEndSession, useSessions } from '../../api/account.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { TimeAgo } from '../../components/time-ago.js';
import { programName } from './program-name.js';

const COLUMNS: readonly Column<Session>[] = [
  {
    key: 'browser',
    header: 'Browser or program',
    isName: true,
    isLong: true,
    cell: ({ user_agent: text }) => <span title={text ?? undefined}>{programName(text)}</span>,
  },
  { key: 'address', header: 'Address', cell: (session) => session.address ?? 'unknown' },
  { key: 'used', header: 'Last used', cell: (session) => <TimeAgo at={session.last_used_at} /> },
  {
    key: 'created',
    header: 'Signed in',
    isDetail: true,
    cell: (session) => <TimeAgo at={session.created_at} />,
  },
];

/** Open sessions of the user, each of which can be ended. */
export function SessionsSection() {
  const list = useSessions();
  const [asked, setAsked] = useState<string | null>(null);
  return (
    <Stack component="section" aria-labelledby="sessions" gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4" id="sessions">
          Sessions
        </Title>
        {list.rows.length > 1 && (
          <Button variant="default" size="xs" onClick={() => setAsked('others')}>
            End all others
          </Button>
        )}
      </Group>
      <List list={list} onAsk={setAsked} />
      {asked !== null && <EndDialog id={asked} onClose={() => setAsked(null)} />}
    </Stack>
  );
}

interface ListProps {
  readonly list: ReturnType<typeof useSessions>;
  readonly onAsk: (id: string) => void;
}

function List({ list, onAsk }: ListProps) {
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the sessions" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={2} />;
  const columns: readonly Column<Session>[] = [
    ...COLUMNS,
    {
      key: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (session) =>
        session.current ? (
          <Text size="sm" className="nowrap">
            this session
          </Text>
        ) : (
          <Button variant="subtle" size="compact-sm" onClick={() => onAsk(session.id)}>
            End
          </Button>
        ),
    },
  ];
  return (
    <>
      <DataTable label="Sessions" columns={columns} rows={list.rows} rowKey={(session) => session.id} />
      <LoadMore list={list} />
    </>
  );
}

/** @param id of the session to end, or `others` */
function EndDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const end = useEndSession(id);
  const isAll = id === 'others';
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={isAll ? 'End all other sessions?' : 'End this session?'}
      confirmLabel={isAll ? 'End all others' : 'End session'}
      isBusy={end.isPending}
      error={end.error}
      onConfirm={() =>
        end.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(isAll ? 'All other sessions have ended' : 'The session has ended');
          },
        })
      }
    >
      <Text size="sm">Whoever uses it has to sign in again.</Text>
    </ConfirmDialog>
  );
}
