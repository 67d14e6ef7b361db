import { type components, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { agentOption, findOptionalAgentId } from '../find-agent.js';
import { ownProjects } from '../find-project.js';
import { findRunId } from '../find-run.js';
import { printJson } from '../output/json.js';
import { callsText, count, dollars } from '../output/amounts.js';
import { type Column, printTable } from '../output/table.js';
import { periodOptions, periodQuery, readPeriod } from '../telemetry-queries.js';

type Report = components['schemas']['UsageReport'];
type Row = Report['rows'][number];
type Grouping = Report['group_by'];

const GROUPINGS = [
  'day',
  'hour',
  'agent',
  'model',
  'config_version',
  'project',
] as const satisfies Grouping[];

export const command = defineCommand({
  options: [
    { flags: '--by <what>', description: 'what each row is for (default day)', choices: GROUPINGS },
    { ...agentOption, description: 'only what this agent used (name or id)' },
    {
      flags: '--run <id>',
      description: 'only what was used for this run: by model, or with --by day or hour',
      completes: 'run',
    },
    ...periodOptions,
  ],
  details:
    'Covers the last 30 days by default (the last day with --by hour), in UTC. The cost leaves out calls ' +
    'of models without a known price.',
  examples: [
    { command: 'usage', explanation: 'what was used on each day' },
    { command: 'usage --by agent --since 7d', explanation: 'who spent most in the last week' },
    { command: 'usage --by model --agent-id reader', explanation: 'what an agent spent on each model' },
    { command: 'usage --run 0192f0c3-6a10', explanation: 'what a run spent on each model' },
    { command: 'usage --jq .total.cost_usd', explanation: 'only the total, in dollars' },
  ],
  read: (input) => ({
    group_by: input.value<Grouping>('by'),
    agent: input.text('agent-id'),
    run: input.text('run'),
    period: readPeriod(input),
  }),
  async run({ group_by, agent, run, period }, context) {
    const query = {
      ...periodQuery(period, context),
      group_by: group_by ?? (run === undefined ? undefined : 'model'),
      project_id: await context.projectId(),
      agent_id: await findOptionalAgentId(context, agent),
      run_id: run === undefined ? undefined : await findRunId(context, run),
    };
    const report = await unwrap(context.service().GET('/usage', { params: { query } }));
    if (context.output === 'json') return printJson(context, report);
    await print(report, context);
  },
});

async function print({ group_by, since, until, total, rows, omitted_rows }: Report, context: Context) {
  const { terminal } = context;
  if (rows.length === 0) return terminal.note(`Nothing was used from ${since} to ${until}`);
  const keys = await keyColumns(group_by, context);
  const sum = { ...total, isTotal: true };
  printTable<Line>(context, [...rows, sum], columns(keys));
  if (omitted_rows > 0) terminal.note(`${count(omitted_rows)} rows more are only in the total`);
  if (total.uncosted_calls > 0)
    terminal.note(`${callsText(total.uncosted_calls)} without a price: their cost is not in this`);
}

/** A row, or the sum of all. */
type Line = Row & { readonly isTotal?: boolean };

function columns([first, ...others]: readonly Column<Row>[]): Column<Line>[] {
  return [
    { ...first!, value: (line) => (line.isTotal ? 'total' : first!.value(line)) },
    ...others.map((column) => ({
      ...column,
      value: (line: Line) => (line.isTotal ? '' : column.value(line)),
    })),
    { title: 'INPUT', value: ({ input_tokens }) => count(input_tokens) },
    { title: 'CACHE READ', value: ({ cache_read_tokens }) => count(cache_read_tokens) },
    { title: 'CACHE WRITE', value: ({ cache_write_tokens }) => count(cache_write_tokens) },
    { title: 'OUTPUT', value: ({ output_tokens }) => count(output_tokens) },
    { title: 'CALLS', value: ({ llm_calls }) => count(llm_calls) },
    { title: 'TOOLS', value: ({ tool_calls }) => count(tool_calls) },
    { title: 'COST', value: ({ cost_usd }) => dollars(cost_usd), fit: 'status' },
    { title: 'NO PRICE', value: ({ uncosted_calls }) => count(uncosted_calls) },
  ];
}

/** Columns that distinguish the rows. */
async function keyColumns(grouping: Grouping, context: Context): Promise<Column<Row>[]> {
  const agent: Column<Row> = {
    title: 'AGENT',
    value: ({ agent_id, agent_name }) => agent_name ?? agent_id,
    fit: 'name',
  };
  switch (grouping) {
    case 'agent':
      return [agent];
    case 'config_version':
      return [agent, { title: 'VERSION', value: ({ config_version }) => config_version ?? 'unknown' }];
    case 'model':
      return [{ title: 'MODEL', value: ({ model }) => model ?? 'none named', fit: 'name' }];
    case 'project': {
      const names = new Map((await ownProjects(context)).map(({ id, name }) => [id, name]));
      return [{ title: 'PROJECT', value: ({ project_id: id = '' }) => names.get(id) ?? id, fit: 'name' }];
    }
    case 'hour':
      return [{ title: 'HOUR', value: ({ hour }) => hour }];
    case 'day':
      return [{ title: 'DAY', value: ({ day }) => day }];
  }
}
