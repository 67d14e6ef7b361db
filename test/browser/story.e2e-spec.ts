import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { GOOD_PASSWORD } from '../builders/people.js';
import { until } from '../harness/until.js';
import { describeInBrowser, picture } from './browser.js';
import { BrowserStage } from './stage.js';

/** The shell of a machine with the command `svc`, and the processes that it starts. */
class Machine {
  private readonly home = mkdtempSync(join(tmpdir(), 'acp-machine-'));
  private readonly started: ChildProcess[] = [];
  output = '';

  constructor() {
    symlinkSync(resolve('packages/svc/bin/svc.mjs'), join(this.home, 'svc'));
  }

  /** Runs a pasted command. */
  paste(command: string): void {
    const path = [this.home, dirname(process.execPath), process.env.PATH].join(delimiter);
    const child = spawn('sh', ['-c', command], {
      env: { PATH: path, HOME: this.home },
      stdio: ['ignore', 'pipe', 'pipe'],
      // a separate process group, as in a terminal, where Ctrl-C reaches all of it
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.started.push(child);
  }

  /** Sends Ctrl-C. @returns after the end of all processes */
  async interrupt(): Promise<void> {
    const running = this.started.filter((it) => it.exitCode === null && it.signalCode === null);
    await Promise.all(
      running.map(async (child) => {
        const ended = once(child, 'close');
        try {
          process.kill(-child.pid!, 'SIGINT');
        } catch {
          // it has just ended
        }
        await ended;
      }),
    );
  }

  async close(): Promise<void> {
    await this.interrupt();
    rmSync(this.home, { recursive: true });
  }
}

describeInBrowser('The way from a new account to a running agent', () => {
  let stage: BrowserStage;
  let machine: Machine;

  beforeAll(async () => {
    stage = await BrowserStage.open();
    machine = new Machine();
  });

  afterAll(async () => {
    await machine.close();
    await stage.close();
  });

  const statusOf = (page: Page) => page.locator('main header [role=status]').first().innerText();

  it('begins with the account of the operator if there is no account yet', async () => {
    const page = await stage.browser.visit();
    const json = { password: true, registration: true, creates_operator: true, sso: false };
    // the reply for an embedded database, which this stage does not have
    await page.route('**/api/auth/methods', (route) => route.fulfill({ json }));
    await page.goto('/account');
    await page.getByRole('heading', { level: 1, name: 'Create the operator account' }).waitFor();
    expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0);
    await page.getByLabel('Email').fill('first@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill(GOOD_PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  });

  it('needs no reload of the page', async () => {
    const page = await stage.browser.visit();
    await page.goto('/');
    await page.getByRole('link', { name: 'Create one' }).click();
    // the previous page has an email field too, and stays until this one is loaded
    await page.getByRole('heading', { name: 'Create an account' }).waitFor();
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill(GOOD_PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();

    await page.getByRole('heading', { level: 1, name: 'Your first agent' }).waitFor();
    await page.evaluate('globalThis.notReloaded = true');
    await picture(page, 'story-1-first-run');
    await page.getByLabel('Name').fill('invoice-reader');
    await page.getByRole('button', { name: 'Create agent' }).click();

    const key = await page.getByRole('region', { name: 'agent key' }).innerText();
    expect(key).toMatch(/^svc_agent_\S+$/);
    await picture(page, 'story-2-key');
    machine.paste(await page.getByRole('region', { name: 'command' }).innerText());
    await page.getByText('Last seen').waitFor();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await page.getByText('It is running.').waitFor();
    await picture(page, 'story-3-ready');

    await page.getByRole('link', { name: /^Its deployment/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Deployment of invoice-reader' }).waitFor();
    await until(async () => (await statusOf(page)) === 'ready');
    await page.getByLabel('Wanted replicas').fill('3');
    await page.getByRole('button', { name: 'Scale', exact: true }).click();
    await page.getByText(/^3\s+of 3 ready$/).waitFor();
    await picture(page, 'story-4-scaled');
    await page.getByRole('tab', { name: 'Logs' }).click();
    await page
      .getByText(/tick \d+ hello/)
      .first()
      .waitFor();
    await picture(page, 'story-5-logs');

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this deployment of invoice-reader?' });
    await dialog.getByRole('button', { name: 'Delete deployment' }).click();
    await until(async () => (await statusOf(page)) === 'killed');
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await until(async () => (await page.getByRole('listitem').count()) >= 4);
    await picture(page, 'story-6-killed');
    expect(await page.evaluate('globalThis.notReloaded')).toBe(true);

    // a secret that was shown once is on no page any more
    const agent = page.getByRole('link', { name: 'invoice-reader' }).first();
    await agent.click();
    await page.getByRole('heading', { level: 1, name: 'invoice-reader' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'invoice-reader' }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(machine.output).not.toContain(key);
    expect(stage.browser.complaints).toEqual([]);
  }, 300_000);
});
