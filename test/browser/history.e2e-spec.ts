import { GOOD_PASSWORD, registerPerson } from '../builders/people.js';
import { stageDeployment } from '../harness/deployment-states.js';
import { until } from '../harness/until.js';
import { describeInBrowser } from './browser.js';
import { PageStage } from './stage.js';

const EMAIL = 'ada@example.com';
const STEPS = 120;

describeInBrowser('The history of a deployment', () => {
  let stage: PageStage;

  beforeAll(async () => {
    stage = await PageStage.open();
  });

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  it('has every step once when a step comes in between two pages', async () => {
    const ada = await registerPerson(stage.service, EMAIL);
    const { id } = await stageDeployment(stage.service, ada, 'running');
    const scale = (replicas: number) => ada.api.post(`/deployments/${id}/scale`, { replicas });
    const total = async () => (await ada.api.get(`/deployments/${id}/events?limit=1`)).body.total as number;
    while ((await total()) < STEPS) await scale(2 + ((await total()) % 2));

    const page = await stage.browser.visit();
    await page.request.post('/api/auth/login', {
      headers: { origin: stage.web.url },
      data: { email: EMAIL, password: GOOD_PASSWORD },
    });
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith(`/deployments/${id}/events`)) asked.push(searchParams);
    });
    await page.goto(`/deployments/${id}`);
    const steps = page.locator('ol > li');
    const older = page.getByRole('button', { name: 'Show older steps' });
    await older.click();
    await until(async () => (await steps.count()) === 100);
    await scale(9);
    await until(async () => (await steps.count()) === 101);
    await older.click();
    await until(async () => (await steps.count()) === STEPS + 1);
    expect(await older.count()).toBe(0);
    expect(asked.filter((query) => query.has('skip'))).toEqual([]);
    // The newest steps may be read again when one is announced.
    expect(asked.filter((query) => query.has('before'))).toHaveLength(2);
  });
});
