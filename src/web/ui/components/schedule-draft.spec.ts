import type { Schedule } from '@agent-control-plane/client';
import { draftOf, newDraft, termsOf } from './schedule-draft.js';

const SCHEDULE: Schedule = {
  id: 'a',
  schedule_id: 'a',
  agent_id: 'b',
  agent_name: 'reader',
  project_id: 'c',
  name: 'daily report',
  cron: '0 9 * * MON-FRI',
  every_seconds: null,
  timezone: 'Europe/Berlin',
  input: { report: 'daily' },
  labels: {},
  priority: 7,
  timeout_seconds: 600,
  retry: { max_attempts: 3, first_delay_seconds: 10, abandoned: true },
  overlap: 'queue',
  catch_up: 'one',
  is_active: true,
  next_run_at: null,
  last_run: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

describe('The form of a schedule', () => {
  it('contains the values of an existing schedule', () => {
    const { name, cron, timezone, input, priority, timeout_seconds, retry, overlap, catch_up } = SCHEDULE;
    const terms = { name, cron, timezone, input, priority, timeout_seconds, retry, overlap, catch_up };
    expect(termsOf(draftOf(SCHEDULE))).toEqual(terms);
  });

  it('counts a pause in its largest unit', () => {
    const draft = draftOf({ ...SCHEDULE, cron: null, every_seconds: 5_400 });
    expect(draft).toMatchObject({ kind: 'every', every: 90, unit: 'minutes' });
    expect(termsOf(draft)).toMatchObject({ every_seconds: 5_400 });
    expect(termsOf(draft)).not.toHaveProperty('cron');
  });

  it('sends the defaults for empty fields', () => {
    const empty = newDraft('UTC');
    expect(termsOf({ ...empty, cron: ' 0 9 * * * ' })).toEqual({
      name: null,
      cron: '0 9 * * *',
      timezone: 'UTC',
      input: null,
      overlap: 'skip',
      catch_up: 'none',
      priority: 5,
      timeout_seconds: null,
      retry: { max_attempts: 1, first_delay_seconds: 0, abandoned: false },
    });
  });

  it.each([{ cron: ' ' }, { kind: 'every' as const, every: '' }, { typed: '{"a": 1' }])(
    'is not sent with %j',
    (part) => expect(termsOf({ ...newDraft('UTC'), ...part })).toBeNull(),
  );
});
