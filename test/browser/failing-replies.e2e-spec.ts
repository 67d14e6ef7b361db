import type { Page } from 'playwright-core';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import { describeInBrowser, signIn } from './browser.js';
import { PageStage } from './stage.js';

const PROJECTS = '/api/dashboard/projects';
const STREAM = '/api/dashboard/events/stream';
const FAILURE = { statusCode: 500, message: 'Internal server error', request_id: 'of-this-failure' };

describeInBrowser('A page whose requests fail', () => {
  let stage: PageStage;
  let ada: Person;
  let page: Page;

  beforeAll(async () => {
    stage = await PageStage.open();
    ada = await registerPerson(stage.service);
    await ada.api.post('/projects', { name: 'Billing' });
  });

  afterAll(() => stage.close());

  beforeEach(async () => {
    page = await stage.browser.visit();
    await signIn(page, stage.web.url, { email: ada.email, password: GOOD_PASSWORD });
  });

  /** Answers these paths with an error until the returned function is called. */
  async function failing(...paths: readonly string[]) {
    const asked: string[] = [];
    const isFailing = ({ pathname }: URL) => paths.includes(pathname);
    await page.route(isFailing, (route) => {
      asked.push(new URL(route.request().url()).pathname);
      return route.fulfill({ status: 500, json: FAILURE });
    });
    return { asked, heal: () => page.unroute(isFailing) };
  }

  it('opens no stream of events, whose loss would read them again, while the projects cannot be read', async () => {
    const { asked, heal } = await failing(PROJECTS, STREAM);
    await page.goto('/projects');
    const again = page.getByRole('button', { name: 'Try again' });
    for (let tries = 0; tries < 3; tries++) {
      await page.getByText('Couldn’t load the projects').waitFor();
      expect(asked).not.toContain(STREAM);
      const answered = page.waitForResponse((reply) => new URL(reply.url()).pathname === PROJECTS);
      await again.click();
      await answered;
    }
    await heal();
    await again.click();
    await page.getByRole('link', { name: 'Billing' }).waitFor();
  });
});
