import type { Page } from 'playwright-core';
import { GOOD_PASSWORD } from '../builders/people.js';
import type { ApiClient } from '../harness/api-client.js';
import { until } from '../harness/until.js';
import { describeInBrowser, picture, signUp } from './browser.js';
import { PageStage } from './stage.js';

const ADA = { email: 'ada@example.com', password: GOOD_PASSWORD };
const ENV = { API_TOKEN: 'hush-1', SEALED: { secret: 'hush-2' }, LEVEL: 'debug' };

describeInBrowser('The configuration of an agent', () => {
  let stage: PageStage;
  let api: ApiClient;
  let page: Page;
  let id: string;
  let runtime: ApiClient;

  beforeAll(async () => {
    stage = await PageStage.open();
    await signUp((await stage.browser.visit()).context(), stage.web.url, ADA.email, ADA.password);
    api = stage.service.api.as((await stage.service.api.post('/auth/login', ADA)).body.access_token);
  });

  afterAll(() => stage.close());

  beforeEach(async () => {
    const { body: agent } = await api.post('/agents', { config: { command: ['true'], env: ENV } });
    id = agent.id;
    runtime = stage.service.api.as(agent.api_key);
    page = await stage.browser.visit();
    await page.request.post('/api/auth/login', { headers: { origin: stage.web.url }, data: ADA });
    await page.goto(`/agents/${id}`);
    await page.getByRole('tab', { name: 'Configuration' }).click();
  });

  afterEach(async () => {
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });

  const shown = () => page.getByRole('region', { name: 'configuration', exact: true });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const reveals = async () => (await api.get(`/audit?action=agent.reveal&target_id=${id}`)).body;

  it('shows its secrets only when a person asks for them, which is recorded, and a write-only one never', async () => {
    await until(async () => (await shown().textContent())?.includes('"LEVEL": "debug"'));
    expect(await page.content()).not.toContain('hush');
    expect(await reveals()).toEqual([]);
    await press('Reveal secrets');
    await until(async () => (await shown().textContent())?.includes('"API_TOKEN": "hush-1"'));
    expect(await page.content()).not.toContain('hush-2');
    expect(await reveals()).toMatchObject([{ details: { config_version: 1 } }]);
    await press('Hide secrets');
    await until(async () => !(await page.content()).includes('hush'));
    await press('Reveal secrets');
    await until(async () => (await reveals()).length === 2);
  });

  it('keeps its secrets when it is edited, and a version is compared with the newest one', async () => {
    await press('Edit');
    const editor = page.getByRole('textbox', { name: 'Configuration' });
    await editor.fill((await editor.inputValue()).replace('debug', 'info'));
    await press('Review changes');
    await press('Save version');
    await page.getByText('Version 1', { exact: true }).waitFor();
    const { body } = await api.get(`/agents/${id}?reveal=true`);
    expect(JSON.parse(body.config).env).toEqual({
      API_TOKEN: 'hush-1',
      SEALED: { secret: true },
      LEVEL: 'info',
    });
    await press('Compare');
    const difference = page.getByRole('group', { name: 'Version 1 to version 2' });
    await until(async () => (await difference.textContent())?.includes('"LEVEL": "info"'));
    await page.getByText('Values that are masked are not compared.').waitFor();
  });

  it('is deployed with the running number of replicas, and is rolled back, each with its changes', async () => {
    const report = (deployment: string, status: string, ready_replicas: number) =>
      runtime.post('/agents/heartbeat', {
        deployments: [{ deployment_id: deployment, status, ready_replicas }],
      });
    const { id: first } = (await api.post(`/agents/${id}/deploy`)).body;
    await report(first, 'ready', 1);
    await api.post(`/deployments/${first}/scale`, { replicas: 3 });
    await report(first, 'ready', 3);
    await api.patch(`/agents/${id}`, { config: { command: ['true'], env: { ...ENV, LEVEL: 'info' } } });

    await page.goto(`/agents/${id}`);
    await page.getByText('Version 2 is saved, but not deployed: version 1 runs').waitFor();
    await page.getByText('3 of 3 ready', { exact: true }).first().waitFor();
    await picture(page, 'agent-not-deployed');
    await press('Deploy version 2');
    const dialog = page.getByRole('dialog');
    const changes = dialog.getByRole('group', { name: 'Version 1 to version 2' });
    await until(async () => (await changes.textContent())?.includes('"LEVEL": "info"'));
    expect(await dialog.getByLabel('Replicas').inputValue()).toBe('3');
    await picture(page, 'agent-deploy-dialog');
    await dialog.getByRole('button', { name: 'Deploy version 2' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [{ id: second }] = (await api.get(`/deployments?agent_id=${id}`)).body;
    await report(second, 'running', 0);
    await until(async () => (await api.get(`/deployments/${second}`)).body.replicas === 3);
    await report(second, 'ready', 3);

    await page.getByRole('heading', { name: 'Version 2 runs' }).waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('link', { name: 'Version 2 deployed' }).waitFor();
    await timeline.getByRole('link', { name: 'Configuration version 2 saved' }).waitFor();
    await page.getByRole('group', { name: 'Version 1 to version 2' }).waitFor();
    await press('Roll back to version 1');
    await dialog
      .getByText('Configuration version 1, not the newest, which is 2.', { exact: false })
      .waitFor();
    await dialog.getByRole('group', { name: 'Version 2 to version 1' }).waitFor();
  });
});
