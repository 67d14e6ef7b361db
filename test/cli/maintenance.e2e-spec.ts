import { registerOperator } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  svc = await Svc.loggedIn(app.url, (await registerOperator(app)).email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

describe('svc maintenance', () => {
  it('starts it, shows it, is refused with the reason meanwhile, and ends it', async () => {
    const started = await svc.json(['maintenance', 'start', '--reason', 'We move', '--until', '2h']);
    expect(started).toMatchObject({ is_on: true, reason: 'We move', until: expect.stringMatching(/Z$/) });
    const shown = await svc.succeeds(['maintenance', 'show']);
    expect(shown).toMatch(/^Maintenance +on: nothing can be changed$/m);
    expect(shown).toContain(started.until);
    const refused = await svc.run(['agents', 'create', '--name', 'a']);
    expect(refused.stderr).toMatch(
      /Nothing can be changed during maintenance: We move \(until .*: "svc maintenance show"/,
    );
    expect(await svc.succeeds(['maintenance', 'end'])).toBe('The maintenance is over\n');
    expect(await svc.json(['maintenance', 'show'])).toMatchObject({ is_on: false });
    await svc.succeeds(['agents', 'create', '--name', 'a']);
  });

  it('asks for a reason', async () => {
    expect((await svc.run(['maintenance', 'start'])).stderr).toContain('--reason is needed');
  });
});
