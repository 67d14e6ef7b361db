import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from './desired-state.js';
import { RuntimeState } from './runtime-state.js';

const assignment = (change: Partial<Assignment> = {}): Assignment => ({
  generation: 1,
  startGeneration: 1,
  phase: 'running',
  replicas: 1,
  config: '{}',
  observedGeneration: 0,
  ...change,
});
const done = { success: true, completed_at: '2026-01-01T00:00:00.000Z' };

describe('RuntimeState', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'runtime-state-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  it('has after a restart the desired states, the results, and the unacknowledged ones', async () => {
    const before = RuntimeState.open(directory);
    before.agentId = 'a';
    before.assign('d', assignment({ replicas: 3 }));
    for (const id of ['told', 'untold', 'begun']) before.begin(id);
    before.settle('told', done);
    before.markAcknowledged('told');
    before.settle('untold', done);
    await before.save();

    const after = RuntimeState.open(directory);
    expect(after.agentId).toBe('a');
    expect(after.assignment('d')).toEqual(assignment({ replicas: 3 }));
    expect(after.unacknowledged()).toEqual([['untold', done]]);
    expect(['told', 'begun', 'never'].map((id) => after.outcomeOf(id))).toEqual([done, null, undefined]);
  });

  it('is closed to other users, because it contains configurations', async () => {
    const closed = join(directory, 'new');
    const state = RuntimeState.open(closed);
    await state.save();
    expect(statSync(closed).mode & 0o777).toBe(0o700);
    expect(statSync(join(closed, 'runtime.json')).mode & 0o777).toBe(0o600);
  });

  it('writes once for concurrent saves, with the change of each', async () => {
    const state = RuntimeState.open(directory);
    const saved = Array.from({ length: 50 }, async (_, n) => {
      state.assign(`d${n}`, assignment());
      await state.save();
      expect(RuntimeState.open(directory).assignment(`d${n}`)).toBeDefined();
    });
    await Promise.all(saved);
  });

  it('renames an unreadable file, and begins without a state', () => {
    writeFileSync(join(directory, 'runtime.json'), '{"format": 1, "deploym');
    expect(RuntimeState.open(directory).allAssignments()).toEqual([]);
    expect(readdirSync(directory)).toEqual(['runtime.json.unreadable']);
  });

  it('drops the oldest acknowledged commands, and the oldest deployments that do not run', () => {
    const state = RuntimeState.open();
    state.begin('untold');
    state.settle('untold', done);
    for (let n = 0; n < 1_500; n += 1) {
      state.begin(`c${n}`);
      state.settle(`c${n}`, done);
      state.markAcknowledged(`c${n}`);
    }
    expect(state.outcomeOf('c10')).toBeUndefined();
    expect(state.outcomeOf('c1400')).toEqual(done);
    expect(state.outcomeOf('untold')).toEqual(done);

    state.assign('runs', assignment());
    for (let n = 0; n < 300; n += 1) state.assign(`d${n}`, assignment({ phase: 'stopped', config: '' }));
    expect(state.allAssignments()).toHaveLength(201);
    expect(state.assignment('runs')).toBeDefined();
    expect(state.assignment('d99')).toBeUndefined();
  });
});
