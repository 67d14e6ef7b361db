import type { Agent, Deployment, Run } from '@agent-control-plane/client';
import { deploymentToRestart } from './restart.js';
import { versionBefore } from './rollback.js';
import { nextStep } from './why.js';

function deployments(...given: readonly Partial<Deployment>[]): Deployment[] {
  return given.map((it, at) => ({ id: `d${at}`, observed_generation: 1, ...it }) as Deployment);
}

describe('svc rollback', () => {
  const before = (...given: Partial<Deployment>[]) =>
    versionBefore({ name: 'reader', deployments: deployments(...given) });

  it('chooses the version that ran before the newest deployment', () => {
    expect(before({ config_version: 5 }, { config_version: 5 }, { config_version: 3 })).toBe(3);
    expect(
      before({ config_version: 5 }, { config_version: 4, observed_generation: null }, { config_version: 2 }),
    ).toBe(2);
    // after a rollback from 5 to 3 the way leads forward again
    expect(before({ config_version: 3 }, { config_version: 5 }, { config_version: 3 })).toBe(5);
  });

  it('names the next step when no other version has run', () => {
    expect(() => before({ config_version: 1 })).toThrow('choose one with --to');
    expect(() => before()).toThrow('choose one with --to');
  });
});

describe('svc restart', () => {
  const chosen = (...statuses: Deployment['status'][]) =>
    deploymentToRestart({
      name: 'reader',
      deployments: deployments(...statuses.map((status) => ({ status }))),
    }).id;

  it('chooses the active deployment, else the newest', () => {
    expect(chosen('stopped', 'ready', 'failed')).toBe('d1');
    expect(chosen('failed', 'stopped')).toBe('d0');
  });

  it('refuses to choose among several active ones, or without any', () => {
    expect(() => chosen('ready', 'running')).toThrow('2 active deployments');
    expect(() => chosen()).toThrow('svc deploy');
  });
});

describe('The next step of svc why', () => {
  const step = (
    state: Agent['health']['state'],
    connection: Agent['connection'],
    count = 1,
    { called = 'reader', paused = null as Agent['paused'], failed_runs = [] as Run[] } = {},
  ) =>
    nextStep(
      {
        agent: { id: 'a', health: { state, reason: '' }, connection, paused } as Agent,
        deployments: deployments(
          ...Array.from({ length: count }, (_, at) => ({ config_version: count - at })),
        ),
        failed_runs,
      },
      called,
    );

  it.each([
    ['paused', 'online', 1, 'svc agents resume reader'],
    ['idle', 'never_connected', 0, 'svc deploy reader'],
    ['offline', 'offline', 1, 'svc run --agent reader'],
    ['failing', 'offline', 1, 'svc run --agent reader; then svc restart reader'],
    ['failing', 'online', 2, 'svc rollback reader'],
    ['failing', 'online', 1, 'svc logs reader --min-level warning'],
    ['idle', 'online', 1, 'svc restart reader'],
    ['healthy', 'online', 1, 'All is well'],
  ] as const)(
    'fits an agent that is %s and %s, with %d deployments',
    (state, connection, count, expected) => {
      expect(step(state, connection, count)).toContain(expected);
    },
  );

  it('leads to the budget that holds the agent', () => {
    const paused = { by: 'budget' } as Agent['paused'];
    expect(step('paused', 'online', 1, { paused })).toContain('svc budgets list');
  });

  it('leads to the newest failed run of a healthy agent', () => {
    const failed_runs = [{ id: 'r2' }, { id: 'r1' }] as Run[];
    expect(step('healthy', 'online', 1, { failed_runs })).toContain('svc runs logs r2');
  });

  it('has the id of an agent whose name is no word of a shell', () => {
    expect(step('idle', 'online', 1, { called: 'my reader' })).toBe('Next: svc restart a');
  });
});
