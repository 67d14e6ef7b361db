import type { Page } from 'playwright-core';
import { PhoneApp, enrolAccount, type EnrolledApp, ageProofs } from '../builders/phone-app.js';
import { GOOD_PASSWORD } from '../builders/people.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import { until } from '../harness/until.js';
import { describeInBrowser, expectAccessibleInAllLooks, signUp } from './browser.js';
import { PageStage } from './stage.js';

/** Several pages, each checked by axe. */
const PATIENCE_MS = 240_000;

describeInBrowser('A second factor in the dashboard', () => {
  let stage: PageStage;
  let page: Page;
  let email: string;
  let people = 0;

  beforeAll(async () => {
    stage = await PageStage.open();
  });

  afterAll(() => stage.close());

  beforeEach(async () => {
    page = await stage.browser.visit();
    email = `person-${++people}@example.com`;
    await signUp(page.context(), stage.web.url, email, GOOD_PASSWORD);
  });

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const code = () => page.getByRole('textbox', { name: 'Code' });

  /** Comes to the second step of a sign-in. */
  async function enterPassword(): Promise<void> {
    await page.context().clearCookies();
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(GOOD_PASSWORD);
    await button('Sign in').click();
    await page.getByText('This account also needs a second factor').waitFor();
  }

  /** Pastes like a person who has copied it: the page gets one change. */
  const paste = (text: string) => page.keyboard.insertText(text);

  const enrol = (): Promise<EnrolledApp> => enrolAccount(stage.service.api, stage.service.database, email);

  it(
    'is added as an authenticator app with its QR code, and its recovery codes are displayed once',
    async () => {
      await page.goto('/account');
      await button('Add an authenticator app').click();
      await button('Continue').click();
      await page.getByRole('img', { name: /QR code/ }).waitFor();
      await expectAccessibleInAllLooks(page, 'factor-app');
      const secret = await dialog().getByRole('region', { name: 'secret' }).innerText();
      const app = PhoneApp.with(secret, stage.service.database);
      await code().fill(app.wrongCode());
      await dialog().getByText('The app was not added').waitFor();
      await code().fill(await app.code());
      const codes = await dialog().getByRole('region', { name: 'recovery codes' }).innerText();
      expect(codes.split('\n')).toHaveLength(10);
      await expectAccessibleInAllLooks(page, 'factor-codes');
      const saved = page.waitForEvent('download');
      await button('Save as a file').click();
      expect((await saved).suggestedFilename()).toBe('recovery-codes.txt');
      await button('I’ve saved them').click();
      await dialog().waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: 'authenticator app', exact: true }).waitFor();
      await page.getByText('10 of your recovery codes are left').waitFor();
      await expectAccessibleInAllLooks(page, 'factor-account');
    },
    PATIENCE_MS,
  );

  it(
    'is requested after the password: a pasted code signs in, and a wrong one is reported at the field',
    async () => {
      const { app } = await enrol();
      await enterPassword();
      expect(await code().evaluate((it) => [it === it.ownerDocument.activeElement, it.autocomplete])).toEqual(
        [true, 'one-time-code'],
      );
      await expectAccessibleInAllLooks(page, 'factor-sign-in');
      await code().focus();
      await paste(app.wrongCode());
      await page.locator('[aria-invalid=true]').waitFor();
      await until(async () => (await code().inputValue()) === '');
      await until(() => code().evaluate((it) => it === it.ownerDocument.activeElement));
      const good = await app.code();
      await paste(`${good.slice(0, 3)} ${good.slice(3)}`);
      await heading('Your first agent');
    },
    PATIENCE_MS,
  );

  it('takes a recovery code once', async () => {
    const [first] = (await enrol()).recoveryCodes;
    for (const isGood of [true, false]) {
      await enterPassword();
      await button('Use a recovery code').click();
      await paste(first!);
      await page.keyboard.press('Enter');
      await (isGood ? heading('Your first agent') : page.locator('[aria-invalid=true]').waitFor());
    }
  });

  it('leads back to the password when the sign-in has expired', async () => {
    const { app } = await enrol();
    await enterPassword();
    await stage.service.database.query(
      `UPDATE factor_challenges SET expires_at = now() - interval '1 second'`,
    );
    await paste(await app.code());
    await page.getByRole('textbox', { name: 'Password' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('');
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    await page.getByRole('alert').getByText('You are not signed in').waitFor();
  });

  describe('that was proved long ago', () => {
    let app: PhoneApp;

    beforeEach(async () => {
      ({ app } = await enrol());
      await enterPassword();
      await paste(await app.code());
      await heading('Your first agent');
      await ageProofs(stage.service.database);
      await page.goto('/api-keys');
      await button('Create key').first().click();
      await dialog().getByLabel('Name').fill('nightly');
      await button('Create key').last().click();
      await page.getByRole('dialog', { name: 'Confirm your identity' }).waitFor();
    });

    it(
      'is requested over a form, which then continues by itself',
      async () => {
        await expectAccessibleInAllLooks(page, 'factor-step-up');
        await code().focus();
        await paste(await app.code());
        await page.getByRole('region', { name: 'API key' }).waitFor();
      },
      PATIENCE_MS,
    );

    it('leaves the form unchanged when the person does not confirm', async () => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Confirm your identity' }).waitFor({ state: 'detached' });
      expect(await dialog().getByLabel('Name').inputValue()).toBe('nightly');
      await dialog().getByText('You did not confirm your identity').waitFor();
    });
  });
});

describeInBrowser('An operator who has to add a second factor', () => {
  let stage: PageStage;

  beforeAll(async () => {
    stage = await PageStage.open({ SECOND_FACTOR_FOR_OPERATORS: 'true' });
  });

  afterAll(() => stage.close());

  it(
    'is led there from any page, and can continue afterwards',
    async () => {
      const page = await stage.browser.visit();
      await signUp(page.context(), stage.web.url, 'ada@example.com', GOOD_PASSWORD, {
        setup_token: SETUP_TOKEN,
      });
      await page.goto('/agents');
      await page.getByRole('heading', { level: 1, name: 'Add a second factor' }).waitFor();
      await expectAccessibleInAllLooks(page, 'factor-enrol');
      await page.getByRole('button', { name: 'Add an authenticator app' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      const secret = await page.getByRole('region', { name: 'secret' }).innerText();
      const app = PhoneApp.with(secret, stage.service.database);
      await page.getByRole('textbox', { name: 'Code' }).fill(await app.code());
      await page.getByRole('button', { name: 'I’ve saved them' }).click();
      await page.getByRole('link', { name: 'Continue to the dashboard' }).click();
      await page
        .getByRole('button', { name: /your account/ })
        .first()
        .waitFor();
    },
    PATIENCE_MS,
  );
});
