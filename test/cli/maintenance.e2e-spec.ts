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

describe('svc maintenance and svc log-level', () => {
  it('starts it, shows it, is refused with the reason meanwhile, and ends it', async () => {
    const started = await svc.json(['maintenance', 'start', '--reason', 'We move', '--until', '2h']);
    expect(started).toMatchObject({ is_on: true, reason: 'We move', until: expect.stringMatching(/Z$/) });
    const shown = await svc.succeeds(['maintenance', 'show']);
    expect(shown).toMatch(/^Maintenance +on: nothing can be changed$/m);
    expect(shown).toContain(started.until);
    const refused = await svc.run(['agents', 'create', '--name', 'a']);
    expect(refused.stderr).toMatch(
      /Changes are refused during maintenance: We move \(until .*: "svc maintenance show"/,
    );
    expect(await svc.succeeds(['maintenance', 'end'])).toBe('The maintenance is over\n');
    expect(await svc.json(['maintenance', 'show'])).toMatchObject({ is_on: false });
    await svc.succeeds(['agents', 'create', '--name', 'a']);
  });

  it('sets the level of the log for a while, shows it, and resets it', async () => {
    const set = await svc.json(['log-level', 'set', 'debug', '--until', '15m']);
    expect(set).toMatchObject({ level: 'debug', until: expect.stringMatching(/Z$/) });
    expect(await svc.succeeds(['log-level', 'show'])).toMatch(/^Level +debug$/m);
    expect(await svc.succeeds(['log-level', 'reset'])).toBe('Each instance logs at its LOG_LEVEL\n');
    expect(await svc.json(['log-level', 'show'])).toMatchObject({ level: 'info', until: null });
    expect((await svc.run(['log-level', 'set', 'loud'])).code).toBe(2);
  });

  it('asks for a reason', async () => {
    expect((await svc.run(['maintenance', 'start'])).stderr).toContain('--reason is needed');
  });
});
