import { registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

/** A process in it can't write to any file, as on a full disk or with a read-only home directory. */
const WRITES_NO_FILE = ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh'];

let app: TestApp;
let svc: Svc;
let email: string;

beforeAll(async () => {
  app = await startTestApp();
  ({ email } = await registerPerson(app));
  svc = await Svc.loggedIn(app.url, email);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

describe('A login whose access token is over, where the home directory can not be written', () => {
  it('is renewed for the command, which says so and continues', async () => {
    const expired = { ...(await svc.config()), api_key: 'an.expired.token' };
    await svc.writeConfig(expired);
    const outcome = await svc.startProcess(['whoami', '--output', 'json'], {}, WRITES_NO_FILE).ended();
    expect(outcome.stderr).toBe(
      `The login was renewed for this command alone: ${svc.configFile} can't be written (EFBIG): check who owns it\n`,
    );
    expect(outcome.code).toBe(0);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ email });
    expect(await svc.config()).toEqual(expired);
  });
});
