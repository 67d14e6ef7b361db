import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accessibilityProblems, describeInBrowser } from './browser.js';
import { PageStage } from './stage.js';

describeInBrowser('The page to which a sign-in of a program comes back', () => {
  let stage: PageStage;
  const asked: string[] = [];
  const program = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>svc</title>Go back to the terminal');
  });

  beforeAll(async () => {
    await once(program.listen(0, '127.0.0.1'), 'listening');
    stage = await PageStage.open();
  });

  afterAll(async () => {
    program.close();
    await stage.close();
  });

  it('names the program and asks, and sends the code on only when a person says so', async () => {
    const { port } = program.address() as AddressInfo;
    const search = `?code=x&state=${port}.ab_cd-ef12345`;
    const page = await stage.browser.visit();
    await page.goto(`/sign-in/sso${search}`);
    await page.getByText(`waits at port ${port}`).waitFor();
    await page.getByText('ABCDEF12').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(asked).toEqual([]);
    await page.getByRole('link', { name: 'Sign in to the program' }).click();
    await page.getByText('Go back to the terminal').waitFor();
    expect(asked).toContain(`/callback${search}`);
    await stage.browser.leave();
    expect(stage.browser.complaints).toEqual([]);
  });
});
