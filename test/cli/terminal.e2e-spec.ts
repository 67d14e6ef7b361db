import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../bench/fleet/free-port.js';
import { programSignIn } from '../../src/web/ui/pages/sign-in/program-sign-in.js';
import { createAgent } from '../builders/agents.js';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import {
  startIdentityProvider,
  type TestIdentityProvider,
  visitProvider,
} from '../harness/identity-provider.mjs';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { startTestWeb, type TestWeb } from '../harness/test-web.js';
import { until } from '../harness/until.js';
import { atTerminal, itAtTerminal } from './at-terminal.js';
import type { RunningSvc } from './running-svc.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;
let provider: TestIdentityProvider;
let web: TestWeb;

beforeAll(async () => {
  const port = await freePort();
  provider = await startIdentityProvider(`http://127.0.0.1:${port}`);
  app = await startTestApp({ settings: provider.settings });
  web = await startTestWeb({ WEB_PORT: String(port), SERVICE_URL: app.url });
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await web.close();
  await app.close();
  await provider.close();
});

/** `svc` of the person at a terminal. */
const typed = (args: string, dialogue: Parameters<typeof atTerminal>[2] = [], env: object = {}) =>
  atTerminal(args, { HOME: svc.home, SERVICE_API_URL: app.url, ...env }, dialogue);

describe('svc at a terminal (skipped without script of util-linux)', () => {
  itAtTerminal(
    'prints tables with colours within the width, and without colours under NO_COLOR',
    async () => {
      await createAgent(app, ada, { name: 'n'.repeat(100) });
      const { shown } = await typed('agents list');
      expect(shown).toContain('\u001b[1mID\u001b[22m');
      expect(shown).toContain('…');
      const plain = (await typed('agents list', [], { NO_COLOR: '1' })).shown;
      expect(plain).not.toContain('\u001b[1m');
      for (const line of plain.split('\r\n')) expect(line.length).toBeLessThanOrEqual(80);
      expect(plain).toMatch(/^[0-9a-f]{8} {2}n+… {2}idle +never connected/m);
    },
  );

  itAtTerminal(
    'asks with the name before it destroys something, and exits with 1 and does nothing after a no',
    async () => {
      const { id } = await createAgent(app, ada, { name: 'precious' });
      const refused = await typed('agents delete precious', [['(y/N)', 'n\r']]);
      expect(refused.shown).toContain('"precious"');
      expect(refused).toMatchObject({ code: 1, shown: expect.stringContaining('Nothing was done') });
      expect((await ada.api.get(`/agents/${id}`)).status).toBe(200);
      expect((await typed('agents delete precious', [['(y/N)', '\u0003']])).code).toBe(130);
      expect((await ada.api.get(`/agents/${id}`)).status).toBe(200);
      expect((await typed('agents delete precious', [['(y/N)', 'y\r']])).code).toBe(0);
      expect((await ada.api.get(`/agents/${id}`)).status).toBe(404);
    },
  );

  itAtTerminal('ends without a message on Ctrl-D at a question', async () => {
    const { code, shown } = await typed('login', [['Email', '\u0004']]);
    expect(code).toBe(130);
    expect(shown).not.toContain('Warning');
  });

  itAtTerminal('asks for email and password at a login, and never shows the password', async () => {
    const { email } = await registerPerson(app);
    const { code, shown } = await typed('login', [
      ['Email', `${email}\r`],
      ['Password', `${GOOD_PASSWORD}\r`],
    ]);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining(`as ${email}`) });
    expect(shown).not.toContain(GOOD_PASSWORD);
    expect(await svc.json(['whoami'])).toMatchObject({ email });
  });

  itAtTerminal('ends a waiting command without an error message on Ctrl-C', async () => {
    const agent = await createAgent(app, ada);
    await svc.succeeds(['login', '--email', ada.email], { env: { SERVICE_PASSWORD: GOOD_PASSWORD } });
    const { code, shown } = await typed(`agents deploy ${agent.id} --wait`, [
      ['0 of 1 replicas ready', '\u0003'],
    ]);
    expect({ code, shown }).toEqual({ code: 130, shown: expect.not.stringContaining('Error') });
  });

  itAtTerminal('shows a spinner until a slow answer arrives', async () => {
    let answer: (() => void) | undefined;
    const slow = createServer((_request, response) => {
      const health = { status: 'healthy', version: '7.7.7', database: 'ready' };
      answer = () => response.setHeader('content-type', 'application/json').end(JSON.stringify(health));
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    try {
      const dialogue = [['Waiting for the service', async () => (await until(() => answer))()]] as const;
      const { code, shown } = await typed(`status --api-url ${url}`, dialogue);
      expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining('version 7.7.7') });
    } finally {
      slow.closeAllConnections();
      await new Promise((resolve) => slow.close(resolve));
    }
  });
});

describe('svc login --sso', () => {
  const grace = { sub: 'grace', email: 'grace@example.com', email_verified: true };

  /** The last page that the browser gets: its person compares the code with that of the terminal, and continues. */
  async function inBrowser(login: RunningSvc): Promise<string> {
    const back = await visitProvider(/http\S+/.exec(login.stderr)![0]);
    expect(back.origin).toBe(web.url);
    expect((await fetch(back, { redirect: 'manual' })).status).toBe(200);
    const { code, address } = programSignIn(back.search)!;
    await login.says(`shows the code ${code}\n`);
    return (await fetch(address)).text();
  }

  it('prints an address, and is logged in as soon as a person has logged in there', async () => {
    provider.person = grace;
    const newcomer = await Svc.at(app.url);
    try {
      const login = newcomer.start(['login', '--sso', '--no-browser']);
      await login.says('\n\n');
      expect(await inBrowser(login)).toContain('Go back to the terminal');
      expect(await login.ended()).toMatchObject({
        code: 0,
        stdout: `Logged in to ${app.url} as grace@example.com\n`,
      });
      expect(await newcomer.json(['whoami'])).toMatchObject({ email: 'grace@example.com' });
    } finally {
      await newcomer.removeHome();
    }
  });

  it('says why the login was refused, and keeps the earlier login', async () => {
    provider.person = { sub: 'stranger', email: ada.email, email_verified: true };
    const login = svc.start(['login', '--sso', '--no-browser']);
    await login.says('\n\n');
    await inBrowser(login);
    const { code, stderr } = await login.ended();
    expect([code, stderr]).toEqual([1, expect.stringContaining('Another account has your email address')]);
    expect(await svc.json(['whoami'])).toMatchObject({ email: ada.email });
  });
});
