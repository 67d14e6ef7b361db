import { ApiProperty } from '@nestjs/swagger';
import { toUsageResponse, UsageResponse } from '../runs/usage.response.js';
import type { UsageAnswer, UsageQuestion } from './usage-report.service.js';
import { MAXIMUM_GROUPS, type UsageGroup } from './usage-report.repository.js';
import { USAGE_GROUPINGS, USAGE_SOURCES, type UsageGrouping, type UsageSource } from './usage.types.js';

const KeyProperty = (grouping: string, rest: object) =>
  ApiProperty({ required: false, ...rest, description: `With \`group_by=${grouping}\`.` });

/** Usage of one agent, model, config version, project, day or hour. */
export class UsageRowResponse extends UsageResponse {
  @ApiProperty({
    required: false,
    type: String,
    format: 'uuid',
    description: 'With `group_by=agent` and `config_version`.',
  })
  agent_id?: string;

  @ApiProperty({
    required: false,
    type: String,
    nullable: true,
    description: "Null: no longer an agent of the caller's projects.",
    example: 'invoice-reader',
  })
  agent_name?: string | null;

  @ApiProperty({
    required: false,
    type: String,
    nullable: true,
    description: 'With `group_by=model`. Null: tool calls, and model calls without a name.',
    example: 'gpt-4o',
  })
  model?: string | null;

  @ApiProperty({
    required: false,
    enum: USAGE_SOURCES,
    enumName: 'UsageSource',
    nullable: true,
    description:
      "With `group_by=model` and `agent_id`: the current source of the agent's usage of the model. Null: unknown.",
  })
  usage_from?: UsageSource | null;

  @ApiProperty({
    required: false,
    type: 'integer',
    nullable: true,
    description: 'With `group_by=config_version`: a config version of `agent_id`. Null: unknown.',
    example: 3,
  })
  config_version?: number | null;

  @KeyProperty('project', { type: String, format: 'uuid' })
  project_id?: string;

  @KeyProperty('day', { type: String, format: 'date', example: '2026-01-31' })
  day?: string;

  @KeyProperty('hour', { type: String, format: 'date-time', example: '2026-01-31T09:00:00.000Z' })
  hour?: string;
}

export class UsageReport {
  @ApiProperty({ enum: USAGE_GROUPINGS, enumName: 'UsageGrouping' })
  group_by: UsageGrouping;

  @ApiProperty({ format: 'date-time', description: 'The start of the first hour.' })
  since: string;

  @ApiProperty({ format: 'date-time', description: 'The end of the last hour.' })
  until: string;

  @ApiProperty({
    type: UsageResponse,
    description: 'Totals of all rows, including those that are not shown.',
  })
  total: UsageResponse;

  @ApiProperty({
    type: [UsageRowResponse],
    maxItems: MAXIMUM_GROUPS,
    description:
      `Highest cost first; days and hours in chronological order. At most ${MAXIMUM_GROUPS} rows, after those ` +
      'skipped by `skip`.',
  })
  rows: UsageRowResponse[];

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Number of rows after those that are shown.',
    example: 0,
  })
  omitted_rows: number;
}

export function toUsageReport({ grouping, range, skip }: UsageQuestion, summary: UsageAnswer): UsageReport {
  return {
    group_by: grouping,
    since: range.since.toISOString(),
    until: range.until.toISOString(),
    total: toUsageResponse(summary.total),
    rows: summary.groups.map((group) => toRow(group, summary.sources)),
    omitted_rows: Math.max(0, summary.count - skip - summary.groups.length),
  };
}

function toRow(group: UsageGroup, sources: UsageAnswer['sources']): UsageRowResponse {
  const { agent_id, agent_name, model, config_version, project_id, day, hour, ...buckets } = group;
  return {
    ...(agent_id !== undefined && { agent_id, agent_name: agent_name ?? null }),
    // Nothing is stored as null: the columns are part of a key.
    ...(model !== undefined && { model: model === '' ? null : model }),
    ...(model !== undefined && sources && { usage_from: sources.get(model) ?? null }),
    ...(config_version !== undefined && { config_version: config_version === 0 ? null : config_version }),
    ...(project_id !== undefined && { project_id }),
    ...(day !== undefined && { day }),
    ...(hour !== undefined && { hour: new Date(hour).toISOString() }),
    ...toUsageResponse(buckets),
  };
}
