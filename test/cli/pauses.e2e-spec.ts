import { createAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createWorker } from '../builders/runs.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

const pausedNames = async () =>
  (await svc.json(['agents', 'list', '--health', 'paused'])).map(({ name }: { name: string }) => name).sort();

describe('svc', () => {
  it('pauses and resumes an agent, and shows the pause with it', async () => {
    await createWorker(app, ada, { name: 'reader' });
    const made = await svc.json(['agents', 'pause', 'reader', '--reason', 'too dear', '--runs', 'cancel']);
    expect(made).toMatchObject({ reason: 'too dear', runs: 'cancel', holding: 1 });
    expect(await svc.succeeds(['pauses', 'list'])).toMatch(/\breader\b/);
    const shown = await svc.succeeds(['agents', 'status', 'reader']);
    expect(shown).toMatch(/^Health +paused$/m);
    expect(shown).toMatch(/^Reason +Paused: too dear$/m);
    expect(shown).toMatch(/^Paused +.* by a user, not confirmed by its runtime yet$/m);
    expect(await svc.succeeds(['agents', 'resume', 'reader'])).toMatch(/is no longer paused/);
    expect(await pausedNames()).toEqual([]);
  });

  it('pauses all agents of a label in one act, lists the pause, and ends it', async () => {
    for (const name of ['a', 'b']) await createAgent(app, ada, { name, labels: { team: 'billing' } });
    await createAgent(app, ada, { name: 'c' });
    const shown = await svc.succeeds(['pause', '--label', 'team=billing', '--reason', 'nonsense']);
    expect(shown).toMatch(/^Agents +label team:billing$/m);
    expect(shown).toMatch(/^Holds +2 of 2$/m);
    expect(await pausedNames()).toEqual(['a', 'b']);
    const [pause] = await svc.json(['pauses', 'list', '--open', '--agent-id', 'a']);
    expect(await svc.succeeds(['pauses', 'list', '--open'])).toMatch(
      /^PAUSE +AGENTS +HOLDS +CONFIRMED +REASON +BEGUN +ENDED\n\S+ +label team:billing +2 +2 +nonsense/,
    );
    expect(await svc.succeeds(['pauses', 'end', pause.id.slice(0, 30)])).toMatch(/^Ended the pause /);
    expect(await pausedNames()).toEqual([]);
  });

  it('needs a reason, a match, and for all agents a confirmation', async () => {
    expect(await svc.run(['pause', '--type', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason'),
    });
    expect(await svc.run(['pause', '--type', 'nobody', '--reason', 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No agent matches'),
    });
    expect(await svc.run(['pause', '--reason', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    const all = await svc.json(['pause', '--reason', 'maintenance', '--yes']);
    expect(all.holding).toBeGreaterThan(1);
    await svc.succeeds(['pauses', 'end', all.id]);
  });
});
