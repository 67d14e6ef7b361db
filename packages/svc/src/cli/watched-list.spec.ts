import { withoutTimes } from './watched-list.js';

describe('A watched item', () => {
  it('has changed if anything but its times has changed', () => {
    const item = (heartbeat: string, state: string) => ({
      name: 'reader',
      last_heartbeat: heartbeat,
      health: { state, reason: 'since 2026-01-31T09:30:00.000Z' },
      replicas: [1, null],
    });
    const before = withoutTimes(item('2026-01-31T09:30:00.000Z', 'healthy'));
    expect(withoutTimes(item('2026-01-31T09:31:00.123Z', 'healthy'))).toEqual(before);
    expect(withoutTimes(item('2026-01-31T09:30:00.000Z', 'failing'))).not.toEqual(before);
  });
});
