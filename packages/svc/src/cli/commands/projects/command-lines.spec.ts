import { ALL_COMMANDS } from '../../all-commands.js';
import { readCommandLine } from '../../command-line.js';
import { UsageError } from '../../failures.js';

async function read(line: string): Promise<unknown> {
  const invocation = await readCommandLine(line.split(' '), ALL_COMMANDS);
  return invocation!.command.read(invocation!.input);
}

describe('The command lines of projects', () => {
  const project = 'payments';

  it.each([
    [
      'projects list',
      { page: { limit: 50, skip: 0 }, isWatched: false, given: { text: undefined, isOfEveryone: false } },
    ],
    [
      'projects list -q pay --everyone',
      { page: { limit: 50, skip: 0 }, isWatched: false, given: { text: 'pay', isOfEveryone: true } },
    ],
    ['projects create payments', { name: project }],
    ['projects rename payments billing', { project, name: 'billing' }],
    ['projects delete payments', { project, isConfirmed: false }],
    ['projects delete payments --yes', { project, isConfirmed: true }],
    ['projects members payments -n 5', { given: { project }, page: { limit: 5, skip: 0 }, isWatched: false }],
    ['projects add payments a@b.c --role viewer', { project, email: 'a@b.c', role: 'viewer' }],
    ['projects remove payments a@b.c -y', { project, member: 'a@b.c', isConfirmed: true }],
    ['projects groups payments', { project, set: [], removed: [] }],
    [
      'projects groups payments --set cn=a,dc=b=owner --set x=viewer --remove y --remove z',
      {
        project,
        set: [
          { group: 'cn=a,dc=b', role: 'owner' },
          { group: 'x', role: 'viewer' },
        ],
        removed: ['y', 'z'],
      },
    ],
    ['projects limits payments', { project, limits: {} }],
    ['projects limits payments --set log_days=3', { project, limits: { log_days: 3 } }],
    [
      'projects limits payments --set agents=50 --set logs=default',
      { project, limits: { agents: 50, logs: null } },
    ],
    ['projects use payments', { text: project }],
    ['agents move reader payments', { agent: 'reader', project }],
    [
      'api-keys create --name ci --role deployer',
      {
        name: 'ci',
        agent: undefined,
        role: 'deployer',
        scopes: undefined,
        everybody: false,
        expiresInDays: 365,
      },
    ],
    [
      'api-keys create --name a --agent-id reader',
      {
        name: 'a',
        agent: 'reader',
        role: undefined,
        scopes: undefined,
        everybody: false,
        expiresInDays: undefined,
      },
    ],
  ])('svc %s', async (line, options) => {
    expect(await read(line)).toEqual(options);
  });

  it.each([
    ['projects create', "missing required argument 'name'"],
    ['projects add payments a@b.c', 'Give their role with --role: viewer, deployer, maintainer, owner'],
    ['projects add payments a@b.c --role boss', 'Allowed choices are viewer, deployer, maintainer, owner'],
    ['projects groups payments --set developers', '--set takes a group, = and a role'],
    ['projects groups payments --set developers=boss', 'viewer, deployer, maintainer, owner'],
    ['agents move reader', "missing required argument 'project'"],
    ['api-keys create --name a --agent-id reader --role viewer', '--agent-id for one of an agent'],
  ])('refuses svc %s', async (line, message) => {
    const refused = read(line);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(new RegExp(message, 'i'));
  });
});
