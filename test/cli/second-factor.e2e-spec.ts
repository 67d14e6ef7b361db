import { type PhoneApp, enrolAccount, ageProofs } from '../builders/phone-app.js';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { atTerminal, itAtTerminal } from './at-terminal.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let phone: PhoneApp;
let recoveryCodes: readonly string[];
let svc: Svc;

const PASSWORD = { SERVICE_PASSWORD: GOOD_PASSWORD };
const KEY = ['api-keys', 'create', '--name', 'ci'];

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  ({ app: phone, recoveryCodes } = await enrolAccount(app.api, app.database, ada.email));
  svc = await Svc.at(app.url);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

/** A process of `svc`, with the code in its environment. */
const withCode = (args: readonly string[], code: string) =>
  svc.startProcess(args, { env: { ...PASSWORD, SERVICE_CODE: code } }).ended();

const typed = (args: string, dialogue: Parameters<typeof atTerminal>[2], env: object = {}) =>
  atTerminal(args, { HOME: svc.home, SERVICE_API_URL: app.url, ...env }, dialogue);

describe('svc login to an account with a second factor', () => {
  const login = ['login', '--email'];

  it('takes the code of the environment, or of --code', async () => {
    expect((await withCode([...login, ada.email], await phone.code())).code).toBe(0);
    await svc.succeeds(['logout']);
    const code = await phone.code();
    await svc.succeeds([...login, ada.email, '--code', code], { env: PASSWORD });
    expect(await svc.json(['whoami'])).toMatchObject({ email: ada.email, has_second_factor: true });
  });

  it('takes a recovery code, once', async () => {
    const [first] = recoveryCodes;
    expect((await withCode([...login, ada.email], first!)).code).toBe(0);
    const again = await withCode([...login, ada.email], first!);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Error: .*: each code works once/),
    });
  });

  it('exits with 1 for a wrong code, and names the next step without a terminal', async () => {
    const wrong = await withCode([...login, ada.email], phone.wrongCode());
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    const none = await svc.startProcess([...login, ada.email], { env: PASSWORD }).ended();
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('set SERVICE_CODE') });
  });

  it('exits with 2 for a code with single sign-on', async () => {
    expect((await svc.run(['login', '--sso', '--code', '123456'])).code).toBe(2);
  });

  itAtTerminal('asks for the code without showing it, and again after a wrong one', async () => {
    const [wrong, good] = [phone.wrongCode(), await phone.code()];
    const { code, shown } = await typed(
      `login --email ${ada.email}`,
      [
        ['Code of your', `${wrong}\r`],
        ['is wrong', `${good}\r`],
      ],
      PASSWORD,
    );
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining(`as ${ada.email}`) });
    for (const secret of [wrong, good]) expect(shown).not.toContain(secret);
  });
});

describe('A command of svc that needs a fresh second factor', () => {
  beforeEach(async () => {
    expect((await withCode(['login', '--email', ada.email], await phone.code())).code).toBe(0);
    await ageProofs(app.database);
  });

  itAtTerminal('asks for the code at a terminal, and goes on', async () => {
    const good = await phone.code();
    const { code, shown } = await typed(KEY.join(' '), [['Code of your', `${good}\r`]]);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining('svc_user_') });
    expect(shown).not.toContain(good);
  });

  it('takes the code of the environment', async () => {
    const { code, stdout } = await withCode([...KEY, '--output', 'json'], await phone.code());
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ name: 'ci' })]);
  });

  it('exits with 1 without a terminal, names the next step and does nothing', async () => {
    const before = await svc.json(['api-keys', 'list', '--all']);
    const { code, stderr } = await svc.startProcess(KEY).ended();
    expect([code, stderr]).toEqual([1, expect.stringContaining('set SERVICE_CODE')]);
    expect(await svc.json(['api-keys', 'list', '--all'])).toEqual(before);
  });

  it('continues without a question while the proof is younger than ten minutes', async () => {
    expect((await withCode(KEY, await phone.code())).code).toBe(0);
    expect((await svc.startProcess(KEY).ended()).code).toBe(0);
  });
});
