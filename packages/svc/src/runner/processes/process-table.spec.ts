import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { familyOf, findByEnvironment, identityOf, isAlive, listProcesses } from './process-table.js';

describe('Processes of this machine', () => {
  it('are distinguished from earlier ones with the same pid', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true });
    const identity = identityOf(child.pid!)!;
    expect(isAlive(child.pid!, identity)).toBe(true);
    expect(isAlive(child.pid!, identityOf(process.pid)!)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(child.pid!, identity)).toBe(false);
    expect(identityOf(child.pid!)).toBeUndefined();
  });

  it('are listed with their parents and groups, and found by their environment', async () => {
    const mark = crypto.randomUUID();
    const env = { ...process.env, TEST_MARK: mark, TEST_OTHER: 'some value'.replace(' ', '-') };
    const child = spawn('sh', ['-c', 'sleep 60 & wait'], { detached: true, env });
    await once(child, 'spawn');
    try {
      const found = await findByEnvironment(['TEST_MARK', mark], 'TEST_OTHER');
      expect(found).toContainEqual({ pid: child.pid, value: 'some-value' });
      const entry = (await listProcesses()).find(({ pid }) => pid === child.pid);
      expect(entry).toEqual({ pid: child.pid, parent: process.pid, group: child.pid });
    } finally {
      process.kill(-child.pid!, 'SIGKILL');
    }
  });

  it('have a family of their group and their descendants', () => {
    const tree = [
      { pid: 10, parent: 1, group: 10 },
      { pid: 11, parent: 10, group: 10 },
      { pid: 12, parent: 11, group: 12 },
      { pid: 13, parent: 12, group: 12 },
      // its parent has ended
      { pid: 14, parent: 1, group: 10 },
      { pid: 20, parent: 1, group: 20 },
    ];
    expect(familyOf(10, tree).sort()).toEqual([10, 11, 12, 13, 14]);
    expect(familyOf(99, tree)).toEqual([]);
  });
});
