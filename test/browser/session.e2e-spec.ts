import { createSecretKey } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JwtService } from '@nestjs/jwt';
import type { BrowserContext, Page } from 'playwright-core';
import { GOOD_PASSWORD } from '../builders/people.js';
import type { ApiClient } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import { accessibilityProblems, describeInBrowser, picture, signUp } from './browser.js';
import { BrowserStage } from './stage.js';

/** Several steps, each of which may take long in a browser on a busy machine. */
const PATIENCE_MS = 180_000;

const SECRET = 'a secret for the browser tests, of more than thirty-two bytes';

let stage: BrowserStage;

beforeAll(async () => {
  stage = await BrowserStage.open({ JWT_SECRET: SECRET, STREAM_HEARTBEAT_SECONDS: '1' });
});

afterAll(() => stage.close());

describeInBrowser('A session in a browser', () => {
  let context: BrowserContext;
  let page: Page;
  let email: string;
  let people = 0;

  beforeEach(async () => {
    stage.browser.complaints.length = 0;
    page = await stage.browser.visit();
    context = page.context();
    email = `person-${++people}@example.com`;
    await signUp(context, stage.web.url, email, GOOD_PASSWORD);
  });

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  const cookie = async (kind: string) => (await context.cookies()).find(({ name }) => name.includes(kind))!;

  /** Replaces a token in the browser's cookie. */
  const replace = async (kind: string, value: string) =>
    context.addCookies([{ ...(await cookie(kind)), value }]);

  /** Both cookies at once: with one of them the page could renew the session in between. */
  const spoilSession = async () =>
    context.addCookies((await context.cookies()).map((it) => ({ ...it, value: 'no.longer.good' })));

  /** A client of the service itself for the same person. */
  const direct = async (): Promise<ApiClient> => {
    const { body } = await stage.service.api.post('/auth/login', { email, password: GOOD_PASSWORD });
    return stage.service.api.as(body.access_token);
  };

  /** The token of the access cookie, with a validity of a few seconds. */
  async function shortLived(seconds: number): Promise<string> {
    const { value } = await cookie('access');
    const [header = '', claims = ''] = value.split('.');
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
    const { type, sub } = read(claims);
    return new JwtService().sign(
      { type },
      {
        secret: createSecretKey(SECRET, 'utf8') as unknown as string,
        algorithm: 'HS256',
        keyid: read(header).kid,
        subject: sub,
        expiresIn: seconds,
      },
    );
  }

  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  it('is kept in cookies that scripts can not read and other sites do not get', async () => {
    await page.goto('/agents');
    await heading('Agents');
    const cookies = (await context.cookies()).sort((one, other) => one.name.localeCompare(other.name));
    expect(
      cookies.map(({ name, httpOnly, sameSite }) => [name.replace(/\d+$/, ''), httpOnly, sameSite]),
    ).toEqual([
      ['svc_access_', true, 'Lax'],
      ['svc_refresh_', true, 'Lax'],
      ['svc_signed_in_', true, 'Lax'],
    ]);
    const reachable = await page.evaluate<string>(
      'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML])',
    );
    for (const { value } of cookies.slice(0, 2)) expect(reachable).not.toContain(value);
    expect(reachable).not.toMatch(/eyJ/);
  });

  it('continues when the access token has expired during the work', async () => {
    await page.goto('/agents/new');
    await page.getByLabel('Name').fill('after-expiry');
    await replace('access', 'no.longer.good');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('region', { name: 'agent key' }).waitFor();
    expect((await cookie('access')).value).not.toBe('no.longer.good');
  });

  it(
    'keeps its live updates when the token with which a stream was opened has expired',
    async () => {
      const api = await direct();
      const { body: agent } = await api.post('/agents', { name: 'followed' });
      const token = await shortLived(3);
      await replace('access', token);
      const opened = page.waitForResponse((it) => it.url().endsWith('/events/stream'));
      await page.goto('/deployments');
      await heading('Deployments');
      await opened;
      // the service ends the stream; the page opens another one in the same session
      await until(async () => (await cookie('access'))?.value !== token);
      await api.post(`/agents/${agent.id}/deploy`);
      await page.getByRole('table', { name: 'Deployments' }).getByText('deploying').waitFor();
    },
    PATIENCE_MS,
  );

  it('leads to the sign-in page when it has ended, and back to the same page after the sign-in', async () => {
    const { body: agent } = await (await direct()).post('/agents', { name: 'mine' });
    await page.goto('/agents');
    await page.getByRole('link', { name: 'mine' }).waitFor();
    await spoilSession();
    await page.goto(`/agents/${agent.id}`);
    await heading('Sign in');
    expect(await context.cookies()).toEqual([]);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(GOOD_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading('mine');
    expect(new URL(page.url()).pathname).toBe(`/agents/${agent.id}`);
  });

  describe('that ends while a form is filled', () => {
    const dialog = () => page.getByRole('dialog', { name: 'Your session has ended' });
    const name = () => page.getByRole('textbox', { name: 'Name' });

    beforeEach(async () => {
      await page.goto('/agents/new');
      await name().fill('kept');
      await context.clearCookies();
      const create = page.getByRole('button', { name: 'Create agent' });
      // Another request of the page may find it first: its dialog is over the button then.
      await create.click({ timeout: 10_000 }).catch(() => undefined);
      await dialog().waitFor();
    });

    async function signInAs(who: string): Promise<void> {
      await dialog().getByLabel('Email').fill(who);
      await dialog().getByRole('textbox', { name: 'Password' }).fill(GOOD_PASSWORD);
      await dialog().getByRole('button', { name: 'Sign in' }).click();
    }

    it('is renewed in a dialog over the page, and the form keeps its content', async () => {
      const password = dialog().getByRole('textbox', { name: 'Password' });
      await until(() => password.evaluate((it) => it === it.ownerDocument.activeElement));
      await picture(page, 'session-over');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Escape');
      const other = await context.newPage();
      await other.goto('/agents');
      await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      await signInAs(email);
      await dialog().waitFor({ state: 'detached' });
      expect(await name().inputValue()).toBe('kept');
      await page.getByRole('button', { name: 'Create agent' }).click();
      await page.getByRole('region', { name: 'agent key' }).waitFor();
    });

    it('leaves no content of the form to another person who signs in there', async () => {
      await page.evaluate('globalThis.isOfTheFirst = true');
      const somebody = await stage.browser.context();
      await signUp(somebody, stage.web.url, `other-${email}`, GOOD_PASSWORD);
      await somebody.close();
      await signInAs(`other-${email}`);
      await heading('Your first agent');
      expect(await name().inputValue()).toBe('');
      expect(await page.evaluate('globalThis.isOfTheFirst')).toBeUndefined();
    });
  });

  it('ends in every tab when a person signs out in one', async () => {
    await page.goto('/agents');
    await heading('Agents');
    const other = await context.newPage();
    await other.goto('/deployments');
    await other.getByRole('heading', { level: 1, name: 'Deployments' }).waitFor();
    await page.getByRole('button', { name: /your account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in');
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
  });

  it(
    'shows a notice while the service hangs, and none when the service continues',
    async () => {
      // a clock applies to the whole context
      context = await stage.browser.context();
      await signUp(context, stage.web.url, `clock-${email}`, GOOD_PASSWORD);
      page = await context.newPage();
      const interrupted = page.getByText('Live updates are interrupted');
      await page.clock.install();
      const opened = page.waitForResponse((it) => it.url().endsWith('/events/stream'));
      await page.goto('/welcome');
      await heading('Your first agent');
      await opened;
      const hung = stage.service.process;
      hung.kill('SIGSTOP');
      try {
        await until(async () => {
          await page.clock.runFor(5_000);
          return interrupted.isVisible();
        });
        await picture(page, 'service-hangs');
      } finally {
        hung.kill('SIGCONT');
      }
      await until(async () => {
        await page.clock.runFor(5_000);
        return interrupted.isHidden();
      });
      await context.close();
    },
    PATIENCE_MS,
  );

  it(
    'continues after a restart of the service, with a notice in between',
    async () => {
      const { body: agent } = await (await direct()).post('/agents', { name: 'patient' });
      await page.goto('/deployments');
      await heading('Deployments');
      await stage.stopService();
      const notice = page.getByText(/service is unreachable|updates are interrupted/i);
      await notice.waitFor();
      await stage.startService();
      // the page reconnects its stream at least every 15 seconds
      await notice.waitFor({ state: 'detached' });
      await (await direct()).post(`/agents/${agent.id}/deploy`);
      await page.getByRole('table', { name: 'Deployments' }).getByText('deploying').waitFor();
      expect(await context.cookies()).toHaveLength(3);
    },
    PATIENCE_MS,
  );
});

describeInBrowser('A page of another site', () => {
  let context: BrowserContext;
  let evil: Server;
  let port: number;

  beforeAll(async () => {
    context = (await stage.browser.visit()).context();
    await signUp(context, stage.web.url, 'victim@example.com', GOOD_PASSWORD);
    evil = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<form method="post" enctype="text/plain" action="${stage.web.url}/api/dashboard/agents">
           <input name='{"name":"forged","description":"' value='"}'><button>Win</button></form>`,
      );
    });
    await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
    ({ port } = evil.address() as AddressInfo);
  });

  afterAll(() => {
    evil.closeAllConnections();
    evil.close();
  });

  // another port is another origin of the same site, which gets the cookies; another name is another site
  it.each(['127.0.0.1', 'localhost'])('can neither change nor read anything: %s', async (host) => {
    const page = await context.newPage();
    await page.goto(`http://${host}:${port}/`);
    const target = `${stage.web.url}/api/dashboard/agents`;
    const sent = await page.evaluate<string>(
      `fetch('${target}', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"name":"forged"}' })
         .then(() => 'answered', () => 'not to be read')`,
    );
    // the request has arrived, but the page can not even see that there was a reply
    expect(sent).toBe('not to be read');
    const reading = await page.evaluate(
      `fetch('${target}', { credentials: 'include' }).then((it) => it.text(), () => 'not to be read')`,
    );
    expect(reading).toBe('not to be read');
    await page.getByRole('button', { name: 'Win' }).click();
    await page.getByText('A request from another site is refused').waitFor();
    const agents = await context.request.get(target);
    expect(await agents.json()).toEqual([]);
  });
});
