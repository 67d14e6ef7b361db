import { actorName } from './actor-name.js';

const ada = 'ada@example.com';

describe('The name of an actor', () => {
  it.each([
    [{ actor: 'user:1', actor_name: 'Ada', actor_email: ada }, ada],
    [{ actor: 'key:1', actor_name: 'ci', actor_email: ada }, `key ci (${ada})`],
    [{ actor: 'key:1', actor_name: 'ci', actor_email: null }, 'key ci'],
    [{ actor: 'agent:1', actor_name: 'mail', actor_email: null }, 'agent mail'],
    [{ actor: 'key:1', actor_name: null, actor_email: null }, undefined],
    [{ actor: 'monitor' }, undefined],
  ])('of %j is %s', (named, expected) => {
    expect(actorName(named)).toBe(expected);
  });
});
