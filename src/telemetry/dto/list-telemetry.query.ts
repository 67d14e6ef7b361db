import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsOptional, IsUUID } from 'class-validator';
import { LabelFilter, labelOf } from '../../http/label-fields.js';
import { HistoryPageQuery } from '../../http/page-query.js';
import { Since, Until } from '../../http/time-range.js';
import { LOG_LEVELS, type LogLevel, logLevelOf } from '../log-level.js';
import type { AgentSelection, LogFilter, TimeFilter } from '../telemetry.types.js';
import { Repeatable } from '../../http/list-fields.js';
import { ProjectParameter } from '../../http/project-fields.js';
import {
  ChangedText,
  ChoiceField,
  Taken,
  TextField,
  WholeNumberParameter,
} from '../../http/request-fields.js';

/** Text for the descriptions of the list operations. */
export const SEARCHES_ARE_BOUNDED =
  '`level`, `replica`, `q` and a `min_level` of `info` search each entry: a search longer than ' +
  '`COSTLY_READ_TIMEOUT_SECONDS` gets a 422, too many searches at once a 503.';

/** Maximum number of agents in a request. Each is looked up, by a list once, by a stream every second. */
export const MAXIMUM_AGENTS = 100;
const LARGEST_REPLICA = 100_000;

const LevelName = () => ChangedText((name) => logLevelOf(name) ?? name);

const SEARCHED = 'Makes lists slow: also set `since` and `until`.';

export class ListMetricsQuery extends HistoryPageQuery {
  @Since()
  since?: Date;

  @Until()
  until?: Date;
}

export class ListLogsQuery extends ListMetricsQuery {
  @LevelName()
  @ChoiceField(LOG_LEVELS, {
    enumName: 'LogLevel',
    optional: true,
    description: `Only this level; case-insensitive, also \`warn\` and \`fatal\`. ${SEARCHED}`,
  })
  level?: LogLevel;

  @LevelName()
  @ChoiceField(LOG_LEVELS, {
    enumName: 'LogLevel',
    optional: true,
    description: 'This level and more severe ones.',
  })
  min_level?: LogLevel;

  @WholeNumberParameter({
    min: 0,
    max: LARGEST_REPLICA,
    optional: true,
    description:
      "Only entries with this number in `metadata.replica`, where `svc run` puts the replica's number.",
  })
  replica?: number;

  @TextField({
    max: 200,
    optional: true,
    description:
      'Only messages that contain this text; case-insensitive. A text with `=`, such as `order=17`, is also ' +
      `searched in the metadata, as \`key=value\`. ${SEARCHED}`,
    example: 'mailbox',
  })
  q?: string;
}

export class ListOwnLogsQuery extends ListLogsQuery {
  @ProjectParameter()
  project_id?: string;

  @ApiProperty({
    required: false,
    type: [String],
    format: 'uuid',
    maxItems: MAXIMUM_AGENTS,
    description: "Only these agents. Agents that the caller can't see have no entries.",
  })
  @IsOptional()
  @Taken()
  @Repeatable()
  @ArrayMaxSize(MAXIMUM_AGENTS)
  @IsUUID('loose', { each: true })
  agent_id?: string[];

  @LabelFilter()
  label?: string[];
}

export function timeFilter({ since, until }: ListMetricsQuery): TimeFilter {
  return { since, until };
}

export function logFilter(query: ListLogsQuery): LogFilter {
  return {
    ...timeFilter(query),
    level: query.level,
    minLevel: query.min_level,
    replica: query.replica,
    text: query.q,
  };
}

export function agentSelection({ project_id: projectId, agent_id, label }: ListOwnLogsQuery): AgentSelection {
  return { projectId, agentIds: agent_id, labels: label?.map(labelOf) };
}
