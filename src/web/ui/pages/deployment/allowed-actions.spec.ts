import {
  ACTIVE_STATUSES,
  DEPLOYMENT_STATUSES,
  TRANSITIONS,
} from '../../../../lifecycle/deployment-lifecycle.js';
import { isActive } from '../../components/lifecycle.js';
import { refusalOf } from './allowed-actions.js';

const STEPS = {
  scale: ['scale'],
  stop: ['stop'],
  restart: ['restart', 'restart_rolling'],
  kill: ['kill'],
} as const;
const actions = Object.keys(STEPS) as (keyof typeof STEPS)[];
const table = actions.flatMap((action) => DEPLOYMENT_STATUSES.map((status) => [action, status] as const));

describe('The actions that the dashboard offers', () => {
  it.each(table)('are those of the lifecycle: %s of a %s deployment', (action, status) => {
    const allowed = STEPS[action].some((step) =>
      (TRANSITIONS[step].from as readonly string[]).includes(status),
    );

    if (allowed) expect(refusalOf(action, status)).toBeNull();
    else expect(refusalOf(action, status)).toMatch(/^(It|Not) .+\.$/);
  });

  it('treat a deployment as active exactly when the lifecycle does', () => {
    expect(DEPLOYMENT_STATUSES.filter((status) => isActive({ status }))).toEqual(ACTIVE_STATUSES);
  });
});
