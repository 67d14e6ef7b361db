import type { Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import { describeInBrowser, expectAccessibleInAllLooks, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PATIENCE_MS = 180_000;
const TITLE = 'An operator created a link that resets your password';

describeInBrowser('A link of an operator to set a password', () => {
  let stage: PageStage;
  let page: Page;
  let operator: Person;
  let owner: Person;

  beforeAll(async () => {
    stage = await PageStage.open();
    operator = await registerOperator(stage.service);
    owner = await registerPerson(stage.service, 'ada@example.com');
  }, PATIENCE_MS);

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  /** Fills in the form like a person whose password comes from somewhere else. */
  async function pasteCredentials({ email, password }: { email: string; password: string }): Promise<void> {
    const [name, secret] = [page.getByLabel('Email'), page.getByRole('textbox', { name: 'Password' })];
    await name.fill(password);
    await name.press('ControlOrMeta+a');
    await name.press('ControlOrMeta+x');
    await name.fill(email);
    await secret.press('ControlOrMeta+v');
    const [type, text] = [await secret.getAttribute('type'), await secret.inputValue()];
    expect({ type, text }).toEqual({ type: 'password', text: password });
  }

  it(
    'ends the session of an open page, and is announced after the sign-in until the user closes the notice',
    async () => {
      const credentials = { email: owner.email, password: GOOD_PASSWORD };
      page = await stage.browser.visit();
      await signIn(page, stage.web.url, credentials);
      await page.goto('/account');
      await page.getByRole('heading', { name: 'Change password' }).waitFor();
      expect(await page.getByText(TITLE).count()).toBe(0);
      await operator.api.post(`/users/${owner.id}/password-reset`);
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await pasteCredentials(credentials);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(TITLE).waitFor();
      await expectAccessibleInAllLooks(page, 'reset-notice');
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByText(TITLE).waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );
});
