import { chmod, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { GOOD_PASSWORD, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
const homes: Svc[] = [];

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(async () => {
  await Promise.all(homes.map((svc) => svc.removeHome()));
  await app.close();
});

async function newcomer(url = app.url): Promise<Svc> {
  const svc = await Svc.at(url);
  homes.push(svc);
  return svc;
}

async function loggedIn(): Promise<{ svc: Svc; email: string }> {
  const { email } = await registerPerson(app);
  const svc = await Svc.loggedIn(app.url, email);
  homes.push(svc);
  return { svc, email };
}

/** A port without a server. */
const NOBODY = 'http://127.0.0.1:9';

/** Another server, which records its requests. */
async function listener(answer: (request: IncomingMessage, server: Server) => [number, object, string]) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
      const [status, headers, text] = answer(request, server);
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe('svc login, whoami, logout', () => {
  it('keep the tokens in a file that only its owner can read, and use them', async () => {
    const { svc, email } = await loggedIn();
    expect((await stat(svc.configFile)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(svc.configFile))).mode & 0o777).toBe(0o700);
    expect(await svc.config()).toEqual({
      name: app.url.replace('http://', ''),
      api_url: app.url,
      api_key: expect.any(String),
      refresh_token: expect.any(String),
      contexts: [],
    });
    expect(await svc.json(['whoami'])).toMatchObject({ email });
    expect(await svc.succeeds(['whoami'])).toContain(email);
  });

  it('remove the access of others from the directory and the file', async () => {
    const { email } = await registerPerson(app);
    const svc = await newcomer();
    await svc.writeConfig({});
    await chmod(dirname(svc.configFile), 0o755);
    await chmod(svc.configFile, 0o644);
    await svc.succeeds(['login', '--email', email], { env: { SERVICE_PASSWORD: GOOD_PASSWORD } });
    expect((await stat(svc.configFile)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(svc.configFile))).mode & 0o777).toBe(0o700);
  });

  it('read the password from standard input', async () => {
    const { email } = await registerPerson(app);
    const svc = await newcomer();
    await svc.succeeds(['login', '--email', email, '--password-stdin'], { input: `${GOOD_PASSWORD}\n` });
    expect(await svc.json(['whoami'])).toMatchObject({ email });
  });

  it('exit with 1 for a wrong password, and keep the earlier login', async () => {
    const { svc, email } = await loggedIn();
    const before = await svc.config();
    const outcome = await svc.run(['login', '--email', email], {
      env: { SERVICE_PASSWORD: 'Wrong-horse-7' },
    });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: Invalid email or password: .*\n$/);
    expect(await svc.config()).toEqual(before);
  });

  it.each([
    [['login']],
    [['login', '--email', 'ada@example.com']],
    [['login', '--email', ' ']],
    [['login', '--email', 'ada@example.com', '--password-stdin']],
    [['login', '--password', 'on-the-command-line']],
  ])('exit with 2 if something is missing and there is no terminal to ask at: %j', async (args) => {
    const svc = await newcomer();
    const outcome = await svc.run(args);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: [^\n]+\n$/);
  });

  it('remove the login at logout, and name the command for the next login', async () => {
    const { svc } = await loggedIn();
    const { stderr } = await svc.run(['logout']);
    expect(stderr).toContain(`svc login --api-url ${app.url}`);
    expect(await svc.config()).toEqual({
      name: '127.0.0.1:8000',
      api_url: 'http://127.0.0.1:8000',
      api_key: null,
      refresh_token: null,
      contexts: [],
    });
    const outcome = await svc.run(['whoami']);
    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: You are not logged in to .*"svc login".*\n$/);
  });
});

describe('An expired access token', () => {
  it('is renewed once and saved', async () => {
    const { svc, email } = await loggedIn();
    const before = await svc.config();
    await svc.writeConfig({ ...before, api_key: 'an.expired.token' });
    expect(await svc.json(['whoami'])).toMatchObject({ email });
    const after = await svc.config();
    expect(after.api_key).not.toBe('an.expired.token');
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect((await stat(svc.configFile)).mode & 0o777).toBe(0o600);
  });

  it('is renewed by several commands at the same time', async () => {
    const { svc, email } = await loggedIn();
    await svc.writeConfig({ ...(await svc.config()), api_key: 'an.expired.token' });
    const processes = Array.from({ length: 4 }, () => svc.startProcess(['whoami', '--output', 'json']));
    const outcomes = await Promise.all(processes.map((it) => it.ended()));
    expect(outcomes.map(({ stdout }) => JSON.parse(stdout).email)).toEqual(Array(4).fill(email));
    expect(await svc.json(['whoami'])).toMatchObject({ email });
  });

  it('ends a command with exit code 3 when the refresh token is refused too', async () => {
    const { svc } = await loggedIn();
    await svc.writeConfig({ ...(await svc.config()), api_key: 'x.y.z', refresh_token: 'x.y.z' });
    const outcome = await svc.run(['agents', 'list']);
    expect(outcome).toMatchObject({ code: 3, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: Invalid or expired token: .*svc login.*\n$/);
    expect(await svc.succeeds(['status'])).toMatch(
      /^Logged in +no: run "svc login" .*Invalid or expired token/m,
    );
    expect(await svc.json(['status'])).toMatchObject({ authenticated: false, credential: 'session' });
  });
});

describe('The address of the service', () => {
  it('comes from the option, else the environment, else the file, else the default', async () => {
    const svc = await newcomer();
    const sources = async (args: string[], url: string) => {
      const outcome = await svc.run(['status', '-o', 'json', ...args], { env: { SERVICE_API_URL: url } });
      const { api_url, api_url_source } = JSON.parse(outcome.stdout);
      return [api_url, api_url_source];
    };
    expect((await sources([], ''))[1]).toBe('default');
    await svc.writeConfig({ api_url: `${NOBODY}/file/` });
    const option = ['--api-url', `${NOBODY}/option`];
    const found = [sources([], ''), sources([], `${NOBODY}/env`), sources(option, `${NOBODY}/env`)];
    expect(await Promise.all(found)).toEqual([
      [`${NOBODY}/file`, 'config'],
      [`${NOBODY}/env`, 'environment'],
      [`${NOBODY}/option`, 'option'],
    ]);
  });

  it('is refused if it is invalid, in a message without its password', async () => {
    const svc = await newcomer();
    for (const address of ['nonsense', 'ftp://example.com', 'http://ada:Secret-7@127.0.0.1:1']) {
      const outcome = await svc.run(['agents', 'list', '--api-url', address]);
      expect(outcome).toMatchObject({ code: 2, stdout: '' });
      expect(outcome.stderr).not.toContain('Secret-7');
    }
  });

  it('never gets a token that another address issued', async () => {
    const { svc } = await loggedIn();
    const stranger = await listener(() => [200, {}, '{}']);
    try {
      const outcome = await svc.run(['whoami', '--api-url', stranger.url]);
      expect(outcome.code).toBe(3);
      await svc.run(['status', '--api-url', stranger.url]);
      expect(stranger.received.filter((it) => it.includes('authorization'))).toEqual([]);
    } finally {
      await stranger.close();
    }
  });

  it('comes from the current context, and an address of the same server suggests that context', async () => {
    const { svc } = await loggedIn();
    const env = { SERVICE_API_URL: '' };
    await svc.succeeds(['context', 'add', 'elsewhere', NOBODY]);
    await svc.succeeds(['context', 'use', 'elsewhere']);
    expect((await svc.run(['whoami'], { env })).stderr).toContain(`not logged in to ${NOBODY}`);
    const contexts = await svc.json(['context', 'list', '--json', 'name,credential'], { env });
    expect(contexts).toEqual([
      { name: 'elsewhere', credential: 'none' },
      { name: app.url.replace('http://', ''), credential: 'session' },
    ]);
    const twin = app.url.replace('127.0.0.1', 'localhost');
    const offered = await svc.run(['whoami', '--api-url', twin]);
    expect(offered).toMatchObject({ code: 3, stderr: expect.stringContaining(`add --api-url ${app.url}`) });
    await svc.succeeds(['context', 'use', app.url]);
    await svc.succeeds(['whoami'], { env });
  });

  it('is warned of when its address is on another machine and not encrypted', async () => {
    const { svc } = await loggedIn();
    const { stderr } = await svc.run(['context', 'add', 'far', 'http://control.example.com']);
    expect(stderr).toContain('http://control.example.com is not encrypted');
  });

  it('is used with a key from a file that has no address', async () => {
    const { svc } = await loggedIn();
    const { key } = await svc.json(['api-keys', 'create', '--name', 'by hand', '--scope', 'deploy']);
    await svc.writeConfig({ api_key: key });
    // a key without the scope to read is valid
    expect(await svc.json(['status'])).toMatchObject({ authenticated: true, credential: 'key' });
    await svc.writeConfig({ api_key: 'garbage' });
    expect(await svc.json(['status'])).toMatchObject({ authenticated: false, credential: 'key' });
  });

  it('is not left for another one by a redirect', async () => {
    const elsewhere = await listener(() => [200, {}, '{}']);
    const redirecting = await listener(() => [307, { location: `${elsewhere.url}/auth/login` }, '']);
    const svc = await newcomer(redirecting.url);
    try {
      const env = { SERVICE_PASSWORD: GOOD_PASSWORD };
      const outcome = await svc.run(['login', '--email', 'ada@example.com'], { env });
      expect(outcome.code).toBe(4);
      expect(redirecting.received).toHaveLength(1);
      expect(elsewhere.received).toEqual([]);
    } finally {
      await redirecting.close();
      await elsewhere.close();
    }
  });

  it('ends a command with exit code 4 if no server or another program answers there', async () => {
    const { svc } = await loggedIn();
    const other = await listener(() => [200, { 'content-type': 'text/html' }, '<html></html>']);
    try {
      const nobody = await svc.run(['status', '--api-url', NOBODY]);
      expect(nobody.code).toBe(4);
      expect(nobody.stdout).toContain('can not be reached');
      expect(nobody.stderr).toMatch(/^Error: The service can't be reached at .*--api-url.*\n$/);
      const env = { SERVICE_API_KEY: 'svc_user_x' };
      const stranger = await svc.run(['agents', 'list', '--api-url', other.url], { env });
      expect(stranger).toMatchObject({ code: 4, stdout: '' });
      expect(stranger.stderr).toMatch(/^Error: .*something else answers there.*--api-url.*\n$/);
    } finally {
      await other.close();
    }
  });
});

describe('SERVICE_API_KEY', () => {
  it('replaces a login, works without a home directory, and may not read the profile', async () => {
    const { svc } = await loggedIn();
    const { key } = await svc.json(['api-keys', 'create', '--name', 'ci']);
    const stranger = await newcomer();
    const env = { SERVICE_API_KEY: key, HOME: '/proc/nowhere' };
    expect(await stranger.json(['agents', 'list'], { env })).toEqual([]);
    expect(await stranger.json(['status'], { env })).toMatchObject({
      authenticated: true,
      credential: 'environment',
    });
    const outcome = await stranger.run(['whoami'], { env });
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain('whoami and api-keys need a login');
    expect(outcome.stderr).not.toContain(key);
  });
});

describe('A key with a line break', () => {
  it('is refused in a message that does not contain it', async () => {
    const svc = await newcomer();
    const env = { SERVICE_API_KEY: 'svc_user_secret\nx' };
    const outcome = await svc.run(['agents', 'list'], { env });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^Error: SERVICE_API_KEY [^\n]+\n$/);
    expect(outcome.stderr).not.toContain('secret');
  });
});
