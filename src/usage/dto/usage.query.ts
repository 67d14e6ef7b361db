import { ChoiceField, IdField, ProjectParameter } from '../../http/request-fields.js';
import { Moment } from '../../http/time-range.js';
import { DAYS_BY_HOUR, DAYS_OTHERWISE, usageRange } from '../usage-range.js';
import type { UsageQuestion } from '../usage-report.service.js';
import { USAGE_GROUPINGS, type UsageGrouping } from '../usage.types.js';

export class UsageQuery {
  @ChoiceField(USAGE_GROUPINGS, {
    enumName: 'UsageGrouping',
    optional: true,
    default: 'day',
    description: `What there is a row for; days and hours are those of UTC. The range may have ${DAYS_BY_HOUR.longest} days with \`hour\` and ${DAYS_OTHERWISE.longest} otherwise.`,
  })
  group_by: UsageGrouping = 'day';

  @Moment(
    'Only what was used in the hour of this time or later. Absent: 30 days before `until`, a day with `hour`.',
  )
  since?: Date;

  @Moment('Only what was used before the end of the hour of this time. Absent: the present.')
  until?: Date;

  @ProjectParameter()
  project_id?: string;

  @IdField({ optional: true, description: 'Only what this agent used.' })
  agent_id?: string;
}

/** @throws InvalidError if the range is empty or too long */
export function usageQuestionOf(query: UsageQuery, now: Date): UsageQuestion {
  return {
    grouping: query.group_by,
    range: usageRange(query, query.group_by, now),
    projectId: query.project_id,
    agentId: query.agent_id,
  };
}
