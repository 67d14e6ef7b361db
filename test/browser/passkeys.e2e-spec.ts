import type { CDPSession, Page } from 'playwright-core';
import { enrolAccount, ageProofs } from '../builders/phone-app.js';
import { GOOD_PASSWORD } from '../builders/people.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import { describeInBrowser, expectAccessibleInAllLooks, signUp } from './browser.js';
import { PageStage } from './stage.js';

/** Several pages, each checked by axe. */
const PATIENCE_MS = 240_000;

const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';

describeInBrowser('A passkey in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  let device: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    // browsers make passkeys for names alone
    stage = await PageStage.open({}, 'localhost');
    page = await stage.browser.visit();
    device = await page.context().newCDPSession(page);
    await device.send('WebAuthn.enable');
    ({ authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
    await signUp(page.context(), stage.browser.url, ADA, GOOD_PASSWORD, { setup_token: SETUP_TOKEN });
  });

  afterAll(() => stage.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });

  async function enterPassword(): Promise<void> {
    await page.context().clearCookies();
    await page.goto('/sign-in?next=/account');
    await page.getByLabel('Email').fill(ADA);
    await page.getByRole('textbox', { name: 'Password' }).fill(GOOD_PASSWORD);
    await button('Sign in').click();
    await page.getByText('This account also needs a second factor').waitFor();
  }

  it(
    'is made by the browser, offered first at the next sign-in, and signs in without a mouse',
    async () => {
      await page.goto('/account');
      await button('Add a passkey').click();
      await expectAccessibleInAllLooks(page, 'factor-passkey');
      await button('Add the passkey').click();
      await button('I’ve saved them').click();
      await page.getByRole('cell', { name: 'passkey', exact: true }).waitFor();
      await enterPassword();
      await expectAccessibleInAllLooks(page, 'factor-passkey-sign-in');
      await button('Use a passkey').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
      expect(stage.browser.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it('that the person does not use says so, and another way is there', async () => {
    await enterPassword();
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await button('Use a passkey').click();
    await page.getByRole('alert').getByText('You are not signed in').waitFor();
    await button('Use a recovery code').click();
    await page.getByLabel('Recovery code').waitFor();
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  });

  it(
    'confirms a step-up, with which an operator removes the second factor of another person',
    async () => {
      await stage.service.api.post('/auth/register', { email: GRACE, password: GOOD_PASSWORD });
      await enrolAccount(stage.service.api, stage.service.database, GRACE);
      await enterPassword();
      await button('Use a passkey').click();
      await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
      await ageProofs(stage.service.database);
      await page.goto('/users');
      const row = page.getByRole('row', { name: new RegExp(GRACE) });
      await row.getByRole('cell', { name: 'yes' }).waitFor();
      await button(`Actions for ${GRACE}`).click();
      await page.getByRole('menuitem', { name: 'Remove second factor' }).click();
      const question = page.getByRole('dialog', { name: /^Remove the second factor/ });
      const remove = question.getByRole('button', { name: 'Remove second factor' });
      expect(await remove.isDisabled()).toBe(true);
      await question.getByRole('textbox').fill(GRACE);
      await expectAccessibleInAllLooks(page, 'factor-remove');
      await remove.click();
      const confirmation = page.getByRole('dialog', { name: 'Confirm your identity' });
      await confirmation.getByRole('button', { name: 'Use a passkey' }).click();
      await row.getByRole('cell', { name: 'no', exact: true }).waitFor();
      const login = await stage.service.api.post('/auth/login', { email: GRACE, password: GOOD_PASSWORD });
      expect(login.status).toBe(200);
    },
    PATIENCE_MS,
  );

  it('is not offered at an address without a name', async () => {
    await page.context().clearCookies();
    await signUp(page.context(), stage.web.url, 'ip@example.com', GOOD_PASSWORD);
    await page.goto(`${stage.web.url}/account`);
    const add = page.getByRole('button', { name: /Add a passkey/ });
    await add.waitFor();
    expect(await add.getAttribute('aria-disabled')).toBe('true');
  });
});
