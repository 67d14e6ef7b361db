import { LossNotices } from './loss-notices.js';

describe('A notice of lost telemetry', () => {
  const told: string[] = [];
  let now = 0;
  let notices: LossNotices;

  beforeEach(() => {
    told.length = 0;
    now = 0;
    notices = new LossNotices(
      (message) => told.push(message),
      () => now,
    );
  });

  it('names the lost data, its number and the reason', () => {
    notices.add('traces', { kind: 'dropped', count: 3, reason: 'more waited than can be kept' });
    notices.add('logs', { kind: 'refused', count: 1, reason: 'too large' });
    notices.add('metrics', { kind: 'rejected', count: 7, reason: 'no such deployment' });
    expect(told).toEqual([
      'OpenTelemetry: 3 exports of traces dropped: more waited than can be kept',
      'OpenTelemetry: 1 export of logs given up, because the service refuses: too large',
      'OpenTelemetry: the service has taken an export of metrics without 7 of its entries: no such deployment',
    ]);
  });

  it('comes once a minute at most for each signal and kind, with the number since the previous one', () => {
    const lose = () => notices.add('traces', { kind: 'refused', count: 1, reason: 'no' });
    lose();
    lose();
    now = 59_999;
    lose();
    expect(told).toHaveLength(1);
    now = 60_000;
    lose();
    expect(told[1]).toContain('3 exports of traces given up');
  });
});
