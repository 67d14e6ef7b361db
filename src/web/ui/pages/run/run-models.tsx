import type { Run } from '@agent-control-plane/client';
import { useUsage } from '../../api/usage.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { UsageRows } from '../usage/usage-rows.js';

/** Tokens and cost of the models that the run called. */
export function RunModels({ run }: { readonly run: Run }) {
  const report = useUsage({ group_by: 'model', range: 'whole', run_id: run.id });
  if (report.data) return <UsageRows report={report.data} label="Usage by model" />;
  if (report.error) return <ErrorNotice error={report.error} onRetry={() => void report.refetch()} />;
  return <Pending rows={1} />;
}
