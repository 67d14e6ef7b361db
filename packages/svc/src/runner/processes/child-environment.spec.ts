import { childEnvironment } from './child-environment.js';

describe('The environment of a replica', () => {
  const inherited = {
    PATH: '/bin',
    HOME: '/home/ada',
    SERVICE_AGENT_KEY: 'svc_agent_x',
    SERVICE_API_URL: 'http://127.0.0.1:8000',
    SVC_DEBUG: '1',
    COPY_OF_KEY: 'Bearer svc_agent_x',
    COLOR: 'blue',
  };

  it('is the own one without what belongs to the runner, the key least of all', () => {
    expect(childEnvironment(inherited, 'svc_agent_x', {}, {})).toEqual({
      PATH: '/bin',
      HOME: '/home/ada',
      COLOR: 'blue',
    });
  });

  it('takes what the configuration says, and what the replica is told wins over that', () => {
    const configured = { COLOR: 'red', REPLICA_INDEX: '99' };
    expect(
      childEnvironment(inherited, 'svc_agent_x', configured, { REPLICA_INDEX: '0', PORT: undefined }),
    ).toMatchObject({
      COLOR: 'red',
      REPLICA_INDEX: '0',
    });
  });
});
