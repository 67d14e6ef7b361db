import { SegmentedControl } from '@mantine/core';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { useHasSharedProjects } from '../../api/projects.js';
import { type UsageGrouping, useUsage } from '../../api/usage.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { useUsageRange } from './usage-range.js';
import { UsageRows } from './usage-rows.js';
import classes from './usage.module.css';

interface Grouping {
  readonly value: UsageGrouping;
  readonly label: string;
}

const GROUPINGS: readonly Grouping[] = [
  { value: 'agent', label: 'Agent' },
  { value: 'model', label: 'Model' },
  { value: 'config_version', label: 'Config version' },
];
const BY_PROJECT: Grouping = { value: 'project', label: 'Project' };

/** Usage of each agent, model, config version or project, with the highest cost first. */
export function UsageTable() {
  const [search, set] = useAddressFilter();
  const [range] = useUsageRange();
  const isOfOne = useChosenProjectId() !== undefined;
  const groupings = useHasSharedProjects() && !isOfOne ? [...GROUPINGS, BY_PROJECT] : GROUPINGS;
  const grouping = groupings.find(({ value }) => value === search.get('by')) ?? GROUPINGS[0]!;
  const agent = search.get('agent');
  const report = useUsage({
    group_by: grouping.value,
    range: range.value,
    since: range.since,
    ...(agent && { agent_id: agent }),
  });
  return (
    <section aria-label="Usage by">
      <div className={classes.by}>
        <h2 className={classes.title}>By</h2>
        <SegmentedControl
          size="xs"
          data={groupings.map(({ value, label }) => ({ value, label }))}
          value={grouping.value}
          onChange={(value) => set('by', value === GROUPINGS[0]!.value ? null : value)}
          aria-label="Rows"
        />
      </div>
      {report.error && !report.data && (
        <ErrorNotice error={report.error} onRetry={() => void report.refetch()} />
      )}
      {report.isPending && <Pending rows={4} />}
      {report.data && (
        <UsageRows
          report={report.data}
          label={`Usage by ${grouping.label.toLowerCase()}`}
          linkOf={({ agent_id }) => `/usage?${narrowed(search, agent_id!)}`}
        />
      )}
    </section>
  );
}

/** The address's choices, for the models of one agent. */
function narrowed(search: URLSearchParams, agentId: string): URLSearchParams {
  const next = new URLSearchParams(search);
  next.set('agent', agentId);
  next.set('by', 'model');
  return next;
}
