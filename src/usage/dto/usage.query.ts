import { ProjectParameter } from '../../http/project-fields.js';
import { ChoiceField, IdField, WholeNumberParameter } from '../../http/request-fields.js';
import { InvalidError } from '../../errors/domain-error.js';
import { MAXIMUM_SKIP } from '../../http/page-query.js';
import { Moment } from '../../http/time-range.js';
import { DAYS_BY_HOUR, DAYS_OTHERWISE, usageRange } from '../usage-range.js';
import type { UsageQuestion } from '../usage-report.service.js';
import { USAGE_GROUPINGS, type UsageGrouping } from '../usage.types.js';

export class UsageQuery {
  @ChoiceField(USAGE_GROUPINGS, {
    enumName: 'UsageGrouping',
    optional: true,
    default: 'day',
    description:
      `What each row stands for; days and hours are in UTC. The range can have ${DAYS_BY_HOUR.longest} days with ` +
      `\`hour\`, otherwise ${DAYS_OTHERWISE.longest}.`,
  })
  group_by: UsageGrouping = 'day';

  @Moment('Only usage from the hour of this time on. Default: 30 days before `until`, or a day with `hour`.')
  since?: Date;

  @Moment('Only usage up to the end of the hour of this time. Default: now.')
  until?: Date;

  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true, description: "Only this agent's usage." })
  agent_id?: string;

  @IdField({
    optional: true,
    description:
      "Only this run's usage, by `model`, `day` or `hour`. Without `since`: all of the run's usage.",
  })
  run_id?: string;

  @WholeNumberParameter({
    min: 0,
    max: MAXIMUM_SKIP,
    optional: true,
    default: 0,
    description: 'Number of rows to skip. `total` includes them.',
  })
  skip: number = 0;
}

/** The groupings of one run's usage: its agent, project and config version are the run's own. */
const WITHIN_A_RUN: readonly UsageGrouping[] = ['model', 'day', 'hour'];

/** @throws InvalidError if the range is empty or too long, or a run is grouped by a property of the run */
export function usageQuestionOf(query: UsageQuery, now: Date): UsageQuestion {
  const ofRun = query.run_id !== undefined;
  if (ofRun && !WITHIN_A_RUN.includes(query.group_by)) {
    throw InvalidError.of(
      'group_by',
      'invalid_value',
      `group_by must be ${WITHIN_A_RUN.join(', ')} with run_id`,
    );
  }
  return {
    grouping: query.group_by,
    range: usageRange(query, query.group_by, now, ofRun),
    runId: query.run_id,
    projectId: query.project_id,
    agentId: query.agent_id,
    skip: query.skip,
  };
}
