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

  it("is the runner's without the runner's own variables and its key", () => {
    expect(childEnvironment(inherited, 'svc_agent_x', {}, {})).toEqual({
      PATH: '/bin',
      HOME: '/home/ada',
      COLOR: 'blue',
    });
  });

  it("contains the configuration's variables, which the replica's identity overrides", () => {
    const configured = { COLOR: 'red', REPLICA_INDEX: '99' };
    expect(
      childEnvironment(inherited, 'svc_agent_x', configured, { REPLICA_INDEX: '0', PORT: undefined }),
    ).toMatchObject({
      COLOR: 'red',
      REPLICA_INDEX: '0',
    });
  });
});
