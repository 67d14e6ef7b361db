import { ReplicaPorts } from './replica-ports.js';

describe('The ports of replicas', () => {
  it('are the preferred ones, or the next free ones', () => {
    const ports = new ReplicaPorts();
    ports.claim(9_001);
    expect([ports.take(9_000), ports.take(9_000), ports.take(9_001)]).toEqual([9_000, 9_002, 9_003]);
    ports.release(9_000);
    expect(ports.take(9_000)).toBe(9_000);
  });

  it('end at the highest port', () => {
    const ports = new ReplicaPorts();
    ports.take(65_535);
    expect(() => ports.take(65_535)).toThrow('No port from 65535 on is left for another replica');
  });
});
