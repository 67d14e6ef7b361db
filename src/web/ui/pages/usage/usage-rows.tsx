import { Text } from '@mantine/core';
import type { UsageGrouping, UsageReport, UsageRow } from '../../api/usage.js';
import { numberText, roundCostText, uncostedText } from '../../components/amounts.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { ProjectName } from '../../components/project-name.js';
import { allTokens } from '../../components/tokens.js';

interface UsageRowsProps {
  readonly report: UsageReport;
  readonly label: string;
  /** Returns the address of an agent's row. */
  readonly linkOf?: (row: UsageRow) => string;
}

/** The rows of a report, with the highest cost first. */
export function UsageRows({ report, label, linkOf }: UsageRowsProps) {
  // while another grouping is read, the rows are still those of the last one
  const by = report.group_by;
  const rowLink = by === 'agent' ? linkOf : undefined;
  return (
    <>
      <DataTable
        label={label}
        columns={[nameColumn(by), ...COLUMNS]}
        rows={report.rows}
        rowKey={keyOf}
        {...(rowLink && { rowLink })}
        takesFocus={!rowLink}
      />
      {report.omitted_rows > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {numberText(report.omitted_rows)} more with a lower cost are not shown. The total includes them.
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
  if (by === 'model') return row.model ?? 'No model: tool calls, and calls without a model';
  if (by === 'project') return <ProjectName id={row.project_id!} />;
  const agent = row.agent_name ?? 'Deleted agent';
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
    header: 'Cached input',
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
  { key: 'calls', header: 'LLM calls', align: 'right', cell: (row) => numberText(row.llm_calls) },
  {
    key: 'tools',
    header: 'Tool calls',
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
