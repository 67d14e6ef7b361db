import { targetLines } from '../bench/fleet/targets.js';

const judged = { heartbeatP99Ms: 150, serviceMs: 0.3, databaseMs: 0.6, busyCores: 1.2, cores: 2 };

describe('The targets in the report of a fleet', () => {
  it('are multiplied by how much slower this host is than the one where they were set', () => {
    expect(targetLines({ ...judged, yardstick: 5_750 })).toEqual([
      'Yardstick     5750 bare heartbeats/s here, 11500 where the targets were set: for this host they are multiplied by 2.00',
      '              heartbeat p99 150.0 ms: target 100.0 MISSED; for this host 200.0 reached',
      '              service 0.300 ms a call: target 0.400 reached; for this host 0.800 reached',
      '              PostgreSQL 0.600 ms a call: target 0.250 MISSED; for this host 0.500 MISSED',
      '              whole machine 1.20 cores: target 1.00 MISSED; for this host 2.00 reached',
    ]);
  });

  it('are lower on a faster host', () => {
    const lines = targetLines({ ...judged, yardstick: 23_000 });
    expect(lines[2]).toBe(
      '              service 0.300 ms a call: target 0.400 reached; for this host 0.200 MISSED',
    );
  });
});
