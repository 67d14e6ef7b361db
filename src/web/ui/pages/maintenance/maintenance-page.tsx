import type { Maintenance } from '@agent-control-plane/client';
import { useMaintenanceQuery } from '../../api/maintenance.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { MaintenanceForm } from './maintenance-form.js';

/** Starts, changes and ends the maintenance of the whole service; operators only. */
export function MaintenancePage() {
  const { data, error, refetch } = useMaintenanceQuery();
  return (
    <>
      <PageHeader title="Maintenance">
        <span>
          Refuses changes by people and their keys for a while. Agents, schedules, budgets and webhooks keep
          working.
        </span>
      </PageHeader>
      {data ? (
        <Current maintenance={data} />
      ) : error ? (
        <ErrorNotice
          error={error}
          title="Couldn’t load the state of maintenance"
          onRetry={() => void refetch()}
        />
      ) : (
        <Pending rows={3} />
      )}
    </>
  );
}

/** The form begins again with what another operator has set. */
function Current({ maintenance }: { readonly maintenance: Maintenance }) {
  return <MaintenanceForm key={maintenance.set_at} maintenance={maintenance} />;
}
