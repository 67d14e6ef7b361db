import {
  type Assignment,
  assignmentOf,
  desiredAgain,
  desiredBy,
  isOutdated,
  type KnownCommand,
} from './desired-state.js';

const command = (action: KnownCommand['action'], generation: number, replicas = 2): KnownCommand => ({
  command_id: 'c',
  action,
  deployment_id: 'd',
  parameters: { deployment_id: 'd', generation, replicas, config: '{"command":["x"]}' },
  attempt: 1,
  received_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T00:01:00.000Z',
});

const known: Assignment = {
  generation: 4,
  startGeneration: 3,
  phase: 'running',
  replicas: 2,
  config: '{}',
  observedGeneration: 4,
};

describe('The desired state after a command', () => {
  it('has a new start generation after a deploy or restart', () => {
    for (const action of ['deploy', 'restart'] as const)
      expect(desiredBy(command(action, 5), known)).toEqual({
        deploymentId: 'd',
        generation: 5,
        startGeneration: 5,
        rolling: false,
        phase: 'running',
        replicas: 2,
        config: { command: ['x'] },
        cause: action,
      });
  });

  it('keeps the start generation after a scale', () => {
    expect(desiredBy(command('scale', 5, 7), known)).toMatchObject({ startGeneration: 3, replicas: 7 });
    // of which nothing may be known any more
    expect(desiredBy(command('scale', 5, 7), undefined)).toMatchObject({ startGeneration: 5, replicas: 7 });
  });

  it('is rolling after a rolling restart, a scale during it, and a new process, until the next start', () => {
    const restart = command('restart', 5);
    const rolling = desiredBy({ ...restart, parameters: { ...restart.parameters, rolling: true } }, known);
    expect(rolling).toMatchObject({ startGeneration: 5, rolling: true, cause: 'restart' });
    const kept = assignmentOf(rolling, known, '{}')!;
    expect(desiredBy(command('scale', 6, 3), kept)).toMatchObject({ startGeneration: 5, rolling: true });
    expect(desiredAgain('d', kept)).toMatchObject({ startGeneration: 5, rolling: true });
    expect(desiredBy(command('restart', 6), kept)).toMatchObject({ rolling: false });
  });

  it('has no replicas after a stop or kill, with any parameters', () => {
    expect(desiredBy(command('stop', 4), known)).toMatchObject({ phase: 'stopped', replicas: 0 });
    expect(desiredBy(command('kill', 4), known)).toMatchObject({ phase: 'killed', replicas: 0 });
  });

  it('is obsolete when a later command was carried out', () => {
    expect(isOutdated(command('deploy', 3), known)).toBe(true);
    expect(isOutdated(command('stop', 4), known)).toBe(false);
    expect(isOutdated(command('deploy', 3), undefined)).toBe(false);
  });

  it('is stored, except after a kill, and without the configuration after a stop', () => {
    const remembered = (action: KnownCommand['action']) =>
      assignmentOf(desiredBy(command(action, 5), known), known, '{"secret":1}');
    expect(remembered('restart')).toMatchObject({
      phase: 'running',
      config: '{"secret":1}',
      observedGeneration: 4,
    });
    expect(remembered('stop')).toMatchObject({ phase: 'stopped', config: '' });
    expect(remembered('kill')).toBeUndefined();
  });

  it('never has a lower generation than a reported failure', () => {
    const failed: Assignment = { ...known, phase: 'failed', generation: 5, observedGeneration: 4 };
    expect(assignmentOf(desiredBy(command('restart', 6), failed), failed, '{}')).toMatchObject({
      generation: 6,
      observedGeneration: 5,
    });
  });

  it('is applied again after a restart of the runtime, with the same start generation', () => {
    expect(desiredAgain('d', known)).toMatchObject({
      generation: 4,
      startGeneration: 3,
      cause: 'resume',
      replicas: 2,
    });
  });
});
