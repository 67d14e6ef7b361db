import type { AgentDetail } from '@agent-control-plane/client';
import { readManifest } from './manifest.js';
import { changesNothing, planOf, settledPlan } from './plan.js';

const CURRENT = {
  id: 'a',
  name: 'ticker',
  description: null,
  type: 'custom',
  labels: { team: 'billing' },
  config: '{"command": ["x"]}',
  config_version: 2,
  deployments: [{ id: 'd', status: 'ready', config_version: 2, replicas: 2 }],
} as unknown as AgentDetail;

const SAME = { name: 'ticker', labels: { team: 'billing' }, config: { command: ['x'] }, replicas: 2 };

describe('The plan of svc apply', () => {
  it('changes nothing if the agent matches the file', () => {
    expect(changesNothing(planOf(SAME, CURRENT))).toBe(true);
  });

  it('creates and deploys a missing agent', () => {
    const plan = planOf(SAME, undefined);
    expect(plan).toMatchObject({ deploys: true, scalesTo: 2, change: { config: '{"command":["x"]}' } });
    expect(changesNothing(plan)).toBe(false);
  });

  it('deploys again when the config differs', () => {
    const plan = planOf({ ...SAME, config: { command: ['y'] } }, CURRENT);
    expect(plan).toMatchObject({ deploys: true, scalesTo: 2, kept: undefined });
  });

  it('deploys again when the active deployment has an older config', () => {
    expect(planOf(SAME, { ...CURRENT, config_version: 3 }).deploys).toBe(true);
  });

  it.each([
    ['hush', true],
    [{ secret: 'hush' }, true],
    [{ secret: true }, false],
  ])('leaves the comparison of a masked value to the service: %j', (TOKEN, isUnsure) => {
    const current = {
      ...CURRENT,
      config: '{"command": ["x"], "env": {"TOKEN": {"secret": true}, "A": "b"}}',
    };
    const wanted = { ...SAME, config: { command: ['x'], env: { TOKEN, A: 'b' } } };
    const plan = planOf(wanted, current);
    expect(plan).toMatchObject({ isUnsure, deploys: false, kept: { id: 'd' } });
    expect(changesNothing(plan)).toBe(!isUnsure);
    expect(settledPlan(plan, 2).deploys).toBe(false);
    expect(settledPlan(plan, 3).deploys).toBe(isUnsure);
    const other = { ...wanted, config: { command: ['x'], env: { TOKEN, A: 'c' } } };
    expect(planOf(other, current)).toMatchObject({ isUnsure: false, deploys: true });
  });

  it('scales the deployment when only the replicas differ', () => {
    const plan = planOf({ ...SAME, replicas: 5 }, CURRENT);
    expect(plan).toMatchObject({ deploys: false, scalesTo: 5, kept: { id: 'd' }, change: {} });
  });

  it('scales to nothing without a new deployment', () => {
    const nothing = { ...SAME, config: { command: ['y'] }, replicas: 0 };
    expect(planOf(nothing, CURRENT)).toMatchObject({ deploys: false, scalesTo: 0, kept: { id: 'd' } });
    expect(planOf(nothing, undefined)).toMatchObject({ deploys: false, scalesTo: undefined });
  });

  it('does not deploy without replicas', () => {
    const undeployed = { name: SAME.name, config: { command: ['y'] } };
    expect(planOf(undeployed, CURRENT).deploys).toBe(false);
  });
});

/** Ten lines that stand for a billion values. */
const BOMB = Array.from({ length: 9 }, (_, level) => {
  const values = Array(10).fill(level === 0 ? 'x' : `*a${level - 1}`);
  return `a${level}: &a${level} [${values.join(', ')}]`;
}).join('\n');

describe('The file of svc apply', () => {
  it('is parsed', () => {
    const yaml =
      'agents:\n  - name: ticker\n    labels: {team: billing}\n    config: {command: [x]}\n    replicas: 2\n';
    expect(readManifest(yaml)).toEqual([SAME]);
  });

  it.each([
    ['agents: [', 'must be YAML'],
    ['- a', 'The file must be an object'],
    ['agents: 1', 'agents must be a list'],
    ['agent: []', 'The file has "agent"'],
    ['agents: [{}]', 'agents[0] has no name'],
    ['agents: [{name: a, replica: 1}]', 'agents[0] has no "replica"'],
    ['agents: [{name: a, replicas: -1}]', 'agents[0].replicas must be a whole number'],
    ['agents: [{name: a, labels: {n: 1}}]', 'agents[0].labels.n must be text'],
    ['agents: [{name: a}, {name: a}]', 'Two agents of the file are called "a"'],
    [BOMB, 'The file has more than 200000 values when its aliases are written out'],
    ['agents: &a [*a]', 'The file has more than 200000 values'],
  ])('is refused with the position of a mistake: %s', (yaml, message) => {
    expect(() => readManifest(yaml)).toThrow(message);
  });
});
