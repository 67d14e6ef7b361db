import { GOOD_PASSWORD } from '../builders/people.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import { until } from '../harness/until.js';
import { accessibilityProblems, describeInBrowser, picture, sidewaysScroll, signUp } from './browser.js';
import { PageStage } from './stage.js';

const SUMMER = '2026-07-31T09:30:15.000Z';

describeInBrowser('The picker of a time range', () => {
  let stage: PageStage;

  beforeAll(async () => {
    stage = await PageStage.open();
  });

  afterAll(() => stage.close());

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  it('changes one end of the range in the address when a day of the calendar is chosen', async () => {
    const page = await stage.browser.visit({ screen: 'phone' });
    await signUp(page.context(), stage.web.url, 'ada@example.com', GOOD_PASSWORD, {
      setup_token: SETUP_TOKEN,
    });
    await page.goto(`/deployments?since=${SUMMER}`);
    await page.getByRole('button', { name: /^Created: since/ }).click();
    const from = page.getByRole('button', { name: 'From', exact: true });
    // the viewer's zone is two hours ahead in summer
    expect(await from.innerText()).toBe('2026-07-31 11:30:15');
    await from.click();
    await page.getByRole('button', { name: '1 July 2026', exact: true }).click();
    await picture(page, 'time-range');
    expect([await accessibilityProblems(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Use this time' }).click();
    await page.getByRole('button', { name: 'Show this range' }).click();
    await until(() => new URL(page.url()).searchParams.get('since') === '2026-07-01T09:30:15.000Z');
    expect(new URL(page.url()).searchParams.get('until')).toBeNull();
    await page.getByText('No deployment matches').waitFor();
  });
});
