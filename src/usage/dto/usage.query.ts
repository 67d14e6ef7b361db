import { ChoiceField, IdField, ProjectParameter, WholeNumberParameter } from '../../http/request-fields.js';
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

  @IdField({
    optional: true,
    description:
      'Only what was used for this run, by `model`, `day` or `hour`. Without `since` it is all that the run used.',
  })
  run_id?: string;

  @WholeNumberParameter({
    min: 0,
    max: MAXIMUM_SKIP,
    optional: true,
    default: 0,
    description: 'How many rows to leave out, from the first. `total` has them all.',
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
