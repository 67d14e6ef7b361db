import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { findScheduleId, scheduleArgument } from '../../find-schedule.js';
import { runInput } from '../runs/run-input.js';
import { printSchedule } from './columns.js';
import { readTerms, termOptions } from './terms.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  options: [
    ...termOptions,
    { flags: '--active', description: 'resume it' },
    { flags: '--paused', description: 'pause it' },
  ],
  details:
    'Changes only what is given; labels and retries are replaced as a whole. After a change of its times ' +
    'or a pause, the next due time is computed from now. Queued runs stay as they are.',
  examples: [
    { command: 'schedules update daily --cron "30 8 * * MON-FRI"', explanation: 'half an hour earlier' },
    {
      command: 'schedules update daily --timeout any --overlap queue',
      explanation: 'no time limit, and runs wait for each other',
    },
    { command: 'schedules update daily --input @report.json', explanation: 'the input of later runs' },
  ],
  read(input) {
    const [active, paused] = [input.flag('active'), input.flag('paused')];
    if (active && paused) throw new UsageError('--active or --paused: give one of them');
    const terms = { ...readTerms(input), is_active: active ? true : paused ? false : undefined };
    if (terms.cron !== undefined && terms.every_seconds !== undefined)
      throw new UsageError('--cron or --every: give one of them');
    const given = input.text('input');
    if (given === undefined && Object.values(terms).every((term) => term === undefined))
      throw new UsageError('Say what to change, such as --cron, --every, --input or --timeout');
    return { schedule: input.argument('schedule'), input: given, terms };
  },
  async run({ schedule, input: given, terms }, context) {
    const input = given === undefined ? undefined : await runInput(given, context);
    const path = { schedule_id: await findScheduleId(context, schedule) };
    const body = { ...terms, input };
    printSchedule(
      context,
      await unwrap(context.service().PATCH('/schedules/{schedule_id}', { params: { path }, body })),
    );
  },
});
