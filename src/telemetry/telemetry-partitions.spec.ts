import { expiredPartitions, missingPartitions, partitionAt } from './telemetry-partitions.js';

const now = new Date('2026-03-01T23:59:59.999Z');

describe('partitionAt', () => {
  it.each([
    [
      '2026-02-28T00:00:00.000Z',
      'agent_logs_p20260228',
      '2026-02-28T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ],
    [
      '2026-02-28T23:59:59.999Z',
      'agent_logs_p20260228',
      '2026-02-28T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ],
    [
      '1969-12-31T12:00:00.000Z',
      'agent_logs_p19691231',
      '1969-12-31T00:00:00.000Z',
      '1970-01-01T00:00:00.000Z',
    ],
  ])('maps %s to %s', (moment, name, from, to) => {
    expect(partitionAt('agent_logs', new Date(moment))).toEqual({
      name,
      from: new Date(from),
      to: new Date(to),
    });
  });
});

describe('missingPartitions', () => {
  it('returns the partitions of today and the next seven days', () => {
    expect(
      missingPartitions('agent_metrics', ['agent_metrics_default'], now).map(({ name }) => name),
    ).toEqual([
      'agent_metrics_p20260301',
      'agent_metrics_p20260302',
      'agent_metrics_p20260303',
      'agent_metrics_p20260304',
      'agent_metrics_p20260305',
      'agent_metrics_p20260306',
      'agent_metrics_p20260307',
      'agent_metrics_p20260308',
    ]);
  });

  it('returns partitions without gaps or overlaps', () => {
    const partitions = missingPartitions('agent_logs', [], now);
    partitions.slice(1).forEach(({ from }, index) => expect(from).toEqual(partitions[index]!.to));
  });

  it('returns no partition that exists', () => {
    const existing = missingPartitions('agent_logs', [], now).map(({ name }) => name);
    expect(missingPartitions('agent_logs', existing, now)).toEqual([]);
    expect(missingPartitions('agent_logs', existing.slice(1), now).map(({ name }) => name)).toEqual([
      existing[0],
    ]);
  });
});

describe('expiredPartitions', () => {
  it('returns the partitions whose end is older than the retention', () => {
    const existing = ['agent_logs_p20260214', 'agent_logs_p20260215', 'agent_logs_p20260301'];
    expect(expiredPartitions('agent_logs', existing, 14, now)).toEqual(['agent_logs_p20260214']);
    expect(expiredPartitions('agent_logs', existing, 13, now)).toEqual(existing.slice(0, 2));
  });

  it('returns a partition only after its whole day is past the retention', () => {
    const existing = ['agent_logs_p20260214'];
    expect(expiredPartitions('agent_logs', existing, 14, new Date('2026-02-28T23:59:59.999Z'))).toEqual([]);
    expect(expiredPartitions('agent_logs', existing, 14, new Date('2026-03-01T00:00:00.000Z'))).toEqual(
      existing,
    );
  });

  it('returns no partition with a foreign name', () => {
    const others = [
      'agent_logs_default',
      'agent_logs_archive',
      'agent_logs_p2020',
      'agent_metrics_p20200101',
    ];
    expect(expiredPartitions('agent_logs', others, 1, now)).toEqual([]);
  });
});
