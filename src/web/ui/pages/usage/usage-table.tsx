import { SegmentedControl, Text } from '@mantine/core';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { useHasSharedProjects } from '../../api/projects.js';
import { type UsageGrouping, type UsageReport, type UsageRow, useUsage } from '../../api/usage.js';
import { useAddressFilter } from '../../components/address-filter.js';
import { numberText, roundCostText, uncostedText } from '../../components/amounts.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { ProjectName } from '../../components/project-name.js';
import { useUsageRange } from './usage-range.js';
import classes from './usage.module.css';
import { allTokens } from '../../components/tokens.js';

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
    <section aria-label="What was used by whom">
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
      {report.data && <Rows report={report.data} label={`Usage by ${grouping.label.toLowerCase()}`} />}
    </section>
  );
}

function Rows({ report, label }: { readonly report: UsageReport; readonly label: string }) {
  const [search] = useAddressFilter();
  // while another grouping is read, the rows are still those of the last one
  const by = report.group_by;
  const narrowed = ({ agent_id }: UsageRow) => {
    const next = new URLSearchParams(search);
    next.set('agent', agent_id!);
    next.set('by', 'model');
    return `/usage?${next}`;
  };
  return (
    <>
      <DataTable
        label={label}
        columns={[nameColumn(by), ...COLUMNS]}
        rows={report.rows}
        rowKey={keyOf}
        {...(by === 'agent' && { rowLink: narrowed })}
        takesFocus={by !== 'agent'}
      />
      {report.omitted_rows > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {numberText(report.omitted_rows)} more with a lower cost are not shown. The sum has them all.
        </Text>
      )}
    </>
  );
}

const keyOf = ({ agent_id, config_version, model, project_id }: UsageRow): string =>
  [agent_id, config_version, model, project_id].join(' ');

const HEADERS: Partial<Record<UsageGrouping, string>> = {
  agent: 'Agent',
  model: 'Model',
  config_version: 'Config version',
  project: 'Project',
};

const nameColumn = (by: UsageGrouping): Column<UsageRow> => ({
  key: 'name',
  header: HEADERS[by] ?? '',
  isName: true,
  cell: (row) => <Name row={row} by={by} />,
});

function Name({ row, by }: { readonly row: UsageRow; readonly by: UsageGrouping }) {
  if (by === 'model') return row.model ?? 'No model: tools, and calls that name none';
  if (by === 'project') return <ProjectName id={row.project_id!} />;
  const agent = row.agent_name ?? 'A removed agent';
  if (by === 'agent') return agent;
  return `${agent}, ${row.config_version === null ? 'version unknown' : `version ${row.config_version}`}`;
}

const COLUMNS: readonly Column<UsageRow>[] = [
  {
    key: 'cost',
    header: 'Cost',
    align: 'right',
    cell: (row) => (
      <>
        {roundCostText(row.cost_usd)}
        {row.uncosted_calls > 0 && (
          <Text size="xs" c="dimmed" className="nowrap">
            {uncostedText(row)}
          </Text>
        )}
      </>
    ),
  },
  { key: 'tokens', header: 'Tokens', align: 'right', cell: (row) => numberText(allTokens(row)) },
  {
    key: 'input',
    isDetail: true,
    header: 'Input',
    align: 'right',
    cell: (row) => numberText(row.input_tokens),
  },
  {
    key: 'cached',
    isDetail: true,
    header: 'From a cache',
    align: 'right',
    cell: (row) => numberText(row.cache_read_tokens),
  },
  {
    key: 'output',
    isDetail: true,
    header: 'Output',
    align: 'right',
    cell: (row) => numberText(row.output_tokens),
  },
  { key: 'calls', header: 'Calls of models', align: 'right', cell: (row) => numberText(row.llm_calls) },
  {
    key: 'tools',
    header: 'Calls of tools',
    align: 'right',
    cell: (row) => (
      <>
        {numberText(row.tool_calls)}
        {row.tool_errors > 0 && (
          <Text size="xs" c="dimmed">
            {numberText(row.tool_errors)} failed
          </Text>
        )}
      </>
    ),
  },
];
