import { Button, Group, SegmentedControl } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconLock, IconPlus } from '@tabler/icons-react';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { type KeyHolder, useApiKeys } from '../../api/api-keys.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useRefusals } from '../../components/required-role.js';
import { ApiKeysTable } from './api-keys-table.js';
import { CreateKeyDialog } from './create-key-dialog.js';

const SHOWN = [
  { value: 'working', label: 'Working' },
  { value: 'all', label: 'All' },
];

/** Each agent has a key of its own, so that among them a person's would be hard to find. */
const HOLDERS: readonly { value: KeyHolder; label: string }[] = [
  { value: 'user', label: 'Yours and projects’' },
  { value: 'agent', label: 'Agents’' },
];

export function ApiKeysPage() {
  const [isCreating, creating] = useDisclosure(false);
  const [search, set] = useAddressFilter();
  const shown = search.get('shown') === 'all' ? 'all' : 'working';
  const refusal = useRefusals()(useChosenProjectId(), 'keys');
  const holder = search.get('of') === 'agent' ? 'agent' : 'user';
  const list = useApiKeys(holder, refusal === null);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={creating.open}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHeader title="API keys" actions={(list.rows.length > 0 || refusal !== null) && create}>
        <span>Programs use them instead of a password; runtimes use them to connect as their agent.</span>
      </PageHeader>
      {refusal === null && (
        <Group mb="md">
          <SegmentedControl
            size="xs"
            aria-label="Whose keys"
            data={[...HOLDERS]}
            value={holder}
            onChange={(value) => set('of', value === 'agent' ? value : null)}
          />
          <SegmentedControl
            size="xs"
            aria-label="Which keys"
            data={SHOWN}
            value={shown}
            onChange={(value) => set('shown', value === 'all' ? value : null)}
          />
        </Group>
      )}
      {refusal === null ? (
        <List list={list} holder={holder} isAll={shown === 'all'} create={create} />
      ) : (
        <EmptyState icon={IconLock} title={refusal}>
          Only maintainers see the keys of this project. Your own keys are in your personal project.
        </EmptyState>
      )}
      <CreateKeyDialog isOpen={isCreating} onClose={creating.close} />
    </>
  );
}

interface ListProps {
  readonly list: ReturnType<typeof useApiKeys>;
  readonly holder: KeyHolder;
  readonly isAll: boolean;
  readonly create: React.ReactNode;
}

function List({ list, holder, isAll, create }: ListProps) {
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the keys" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={5} />;
  if (list.rows.length === 0) {
    return (
      <EmptyState icon={IconKey} title="No keys yet" action={create}>
        {holder === 'user'
          ? 'A key of yours lets a script or the command line use the service without your password.'
          : 'An agent’s key lets its runtime take commands and report. Each agent gets one when it is created.'}
      </EmptyState>
    );
  }
  const rows = isAll ? list.rows : list.rows.filter((key) => key.is_active);
  return (
    <>
      {rows.length > 0 ? (
        <ApiKeysTable keys={rows} />
      ) : (
        <EmptyState icon={IconKey} title="No active keys" action={create}>
          All of them were revoked or have expired.
        </EmptyState>
      )}
      <LoadMore list={list} />
    </>
  );
}
