import { roleFor } from '../../../access/roles.js';
import { NEEDED, refusalOf, type Scope } from './required-role.js';

describe('refusalOf', () => {
  it('names the least role that would do', () => {
    expect(refusalOf('viewer', 'deploy')).toBe('Needs the role deployer');
    expect(refusalOf('maintainer', 'members')).toBe('Needs the role owner');
  });

  it('is null for that role and for higher ones', () => {
    expect(refusalOf('deployer', 'deploy')).toBeNull();
    expect(refusalOf('owner', 'deploy')).toBeNull();
  });

  it('needs the same roles as the service', () => {
    const scopes = Object.keys(NEEDED) as Scope[];
    expect(scopes.map((scope) => NEEDED[scope])).toEqual(scopes.map(roleFor));
  });
});
