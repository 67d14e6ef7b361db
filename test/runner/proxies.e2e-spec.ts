import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { Svc } from '../cli/svc.js';
import { ForwardProxy } from '../harness/forward-proxy.js';
import { printedBy } from '../harness/secrets-made.js';
import { until } from '../harness/until.js';
import { makeAuthority, makeServerCertificate } from '../postgres/certificates.js';
import { hasPython, PYTHON, PYTHON_ENVIRONMENT, PYTHON_NEEDED } from '../python/python.js';
import { RunnerSuite } from './runner-suite.js';

/** `svc`, `svc run` and the Python runtime, behind a proxy that alone reaches the service. */
const LOGIN = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
const REACHED = { service: { status: 'healthy' } };
const NOBODY = 'http://127.0.0.1:9';

let suite: RunnerSuite;
let agent: TestAgent;
let home: string;
let authority: string;
let toService: ForwardProxy;
let toServiceWithTls: ForwardProxy;
let terminator: ReturnType<typeof createServer>;
let svc: Svc;

beforeAll(async () => {
  suite = await RunnerSuite.open({ PUBLIC_URL: 'http://service.test' });
  agent = await createAgent(suite.app, suite.person);
  home = suite.makeHome().path;
  authority = makeAuthority(home, 'authority');
  const { certificate, key } = makeServerCertificate(home, 'authority', 'service.test');
  const port = Number(new URL(suite.app.url).port);
  terminator = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (client) => {
    const service = connect(port, '127.0.0.1');
    pipeline(client, service, () => undefined);
    pipeline(service, client, () => undefined);
  });
  terminator.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(terminator, 'listening');
  toService = await ForwardProxy.open(port);
  toServiceWithTls = await ForwardProxy.open((terminator.address() as AddressInfo).port);
  svc = await Svc.at(suite.app.url);
});

afterAll(async () => {
  await suite.close();
  await Promise.all([toService.close(), toServiceWithTls.close(), svc.removeHome()]);
  terminator.close();
});

const plain = () => ({ SERVICE_API_URL: 'http://service.test', HTTP_PROXY: toService.url });
const secure = () => ({ SERVICE_API_URL: 'https://service.test', https_proxy: toServiceWithTls.url });
const status = async (env: Record<string, string>) =>
  (await svc.startProcess(['status', '--output', 'json'], { env }).ended()).stdout;

describe('svc', () => {
  it('goes through the proxy that the environment names, with its login', async () => {
    expect(JSON.parse(await status(plain()))).toMatchObject(REACHED);
    expect(toService.tunnels).toContain(`service.test:80 ${LOGIN}`);
  });

  it('ignores the proxy for the hosts in NO_PROXY, and for its own machine', async () => {
    const before = toService.tunnels.length;
    expect(JSON.parse(await status({ ...plain(), NO_PROXY: '.test' }))).toMatchObject({ service: null });
    expect(toService.tunnels).toHaveLength(before);
    const own = { SERVICE_API_URL: suite.app.url, HTTP_PROXY: NOBODY };
    expect(JSON.parse(await status(own))).toMatchObject(REACHED);
  });

  it("names NODE_EXTRA_CA_CERTS when the certificate's authority is unknown", async () => {
    const args = ['login', '--email', 'ada@example.com'];
    const env = { ...secure(), SERVICE_PASSWORD: 'x' };
    const { stderr } = await svc.startProcess(args, { env }).ended();
    expect(stderr).toMatch(/\(UNABLE_TO_VERIFY_LEAF_SIGNATURE: .* set NODE_EXTRA_CA_CERTS to a file/);
    expect(JSON.parse(await status({ ...secure(), NODE_EXTRA_CA_CERTS: authority }))).toMatchObject(REACHED);
    expect(toServiceWithTls.tunnels).toContain(`service.test:443 ${LOGIN}`);
  });
});

describe('svc run', () => {
  it('goes through the proxy that the environment names', async () => {
    const variables = {
      HOME: home,
      SERVICE_AGENT_KEY: agent.key,
      NODE_EXTRA_CA_CERTS: authority,
      ...secure(),
    };
    await suite.runProcess(variables).next('registered');
  });
});

(hasPython ? describe : describe.skip)(`The runtime in Python ${PYTHON_NEEDED}`, () => {
  const PROGRAM = `
import os
from agent_control_plane import AgentRuntime
def tell(event): print(event.message, flush=True)
url, key = os.environ["SERVICE_API_URL"], os.environ["SERVICE_AGENT_KEY"]
AgentRuntime(url, key, lambda desired: None, on_event=tell).run()`;

  async function says(text: string, variables: Record<string, string>): Promise<void> {
    const env = { PATH: process.env.PATH, ...PYTHON_ENVIRONMENT, SERVICE_AGENT_KEY: agent.key, ...variables };
    const child = spawn(PYTHON, ['-c', PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    printedBy('the output of an agent in Python', child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const gone = once(child, 'exit');
    try {
      await until(() => said.includes(text) || (child.exitCode !== null && Promise.reject(new Error(said))));
    } finally {
      child.kill('SIGKILL');
      await gone;
    }
  }

  it('goes through the proxy that the environment names', async () => {
    await says('Registered as agent', plain());
    await says('Registered as agent', { ...secure(), SSL_CERT_FILE: authority });
  });

  it("names SSL_CERT_FILE when the certificate's authority is unknown", async () => {
    await says('set SSL_CERT_FILE to a file', secure());
  });
});
