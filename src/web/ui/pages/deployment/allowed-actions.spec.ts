import {
  ACTIVE_STATUSES,
  DEPLOYMENT_STATUSES,
  TRANSITIONS,
} from '../../../../lifecycle/deployment-lifecycle.js';
import { isActive } from '../../components/lifecycle.js';
import { refusalOf } from './allowed-actions.js';

const actions = ['scale', 'stop', 'restart', 'kill'] as const;
const table = actions.flatMap((action) => DEPLOYMENT_STATUSES.map((status) => [action, status] as const));

describe('the actions that the dashboard offers', () => {
  it.each(table)('%s of a %s deployment: as the lifecycle has it', (action, status) => {
    const allowed = (TRANSITIONS[action].from as readonly string[]).includes(status);

    if (allowed) expect(refusalOf(action, status)).toBeNull();
    else expect(refusalOf(action, status)).toMatch(/^(It|Not) .+\.$/);
  });

  it('only calls active what is meant to run', () => {
    expect(DEPLOYMENT_STATUSES.filter((status) => isActive({ status }))).toEqual(ACTIVE_STATUSES);
  });
});
