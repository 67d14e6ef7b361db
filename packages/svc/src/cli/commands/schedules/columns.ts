import type { Schedule } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { jsonOrText } from '../../output/json-or-text.js';
import { paintStatus } from '../../output/paint.js';
import { type Field, printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';
import { labelPairs } from '../agents/columns.js';

export function scheduleColumns(context: Context): Column<Schedule>[] {
  const { colors } = context.terminal;
  const now = context.now();
  return [
    { title: 'SCHEDULE', value: ({ id }) => id, fit: 'id' },
    { title: 'AGENT', value: ({ agent_name }) => agent_name, fit: 'name' },
    { title: 'NAME', value: ({ name }) => name, fit: 'name' },
    { title: 'DUE', value: clockOf, fit: 'detail' },
    { title: 'NEXT', value: (schedule) => nextOf(schedule, now) },
    {
      title: 'LAST RUN',
      value: ({ last_run }) => last_run?.status,
      paint: (text) => paintStatus(text, colors),
      fit: 'status',
    },
    { title: 'QUEUED', value: ({ last_run }) => relativeTime(last_run?.queued_at ?? null, now) },
  ];
}

/** One schedule, in the form that every command prints. */
export function printSchedule(context: Context, schedule: Schedule): void {
  printRecord(context, schedule, scheduleFields(schedule, context));
}

function scheduleFields(it: Schedule, context: Context): Field[] {
  const now = context.now();
  const { max_attempts: attempts, first_delay_seconds: delay, abandoned } = it.retry;
  return [
    ['Schedule', it.id],
    ['Agent', `${it.agent_name} (${it.agent_id})`],
    ['Name', it.name],
    ['Due', clockOf(it)],
    ['Next', it.next_run_at === null ? 'paused' : `${nextOf(it, now)}, at ${it.next_run_at}`],
    [
      'Last run',
      it.last_run && `${it.last_run.id}, ${it.last_run.status}, ${relativeTime(it.last_run.queued_at, now)}`,
    ],
    ['Overlap', it.overlap],
    ['Catch up', it.catch_up],
    ['Priority', it.priority],
    ['Time limit', it.timeout_seconds === null ? null : `${it.timeout_seconds}s`],
    [
      'Attempts',
      attempts === 1 ? null : `${attempts}, after ${delay}s${abandoned ? ', of abandoned runs too' : ''}`,
    ],
    ['Labels', labelPairs(it.labels)],
    ['Created', relativeTime(it.created_at, now)],
    ['Input', it.input === null ? null : jsonOrText(it.input)],
  ];
}

/** `0 9 * * MON-FRI in Europe/Berlin`, or `every 900s`. */
function clockOf({ cron, every_seconds, timezone }: Schedule): string {
  return cron === null ? `every ${every_seconds}s` : `${cron} in ${timezone}`;
}

function nextOf({ next_run_at }: Schedule, now: Date): string {
  return next_run_at === null ? 'paused' : relativeTime(next_run_at, now);
}
