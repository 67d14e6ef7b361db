import { removeFactorsCommand } from '../../src/remove-factors-command.js';
import { GOOD_PASSWORD, registerOperator } from '../builders/people.js';
import { enrolTotp, answerLogin, askedAtLogin } from '../builders/second-factors.js';
import { urlOf } from '../harness/child-service.js';
import { letClockRun, stopClock } from '../harness/own-clock.js';
import { resealSecrets } from '../harness/reseal-secrets.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { withinASecond } from '../harness/within-a-second.js';

const OLD = 'the key before, of thirty-two bytes and more';
const NEW = 'the key of now, of thirty-two bytes and more';

let service: TestApp;

beforeAll(async () => {
  stopClock();
  service = await startTestApp({ settings: { WEBHOOK_SECRET_KEY: OLD } });
});

afterAll(async () => {
  await service.close();
  letClockRun();
});

async function remove(...args: string[]) {
  const output = { stdout: '', stderr: '' };
  const into = (name: keyof typeof output) => ({ write: (text: string) => void (output[name] += text) });
  const streams = { stdout: into('stdout'), stderr: into('stderr') };
  const code = await removeFactorsCommand(args, streams, { DATABASE_URL: urlOf(service.database.target) });
  return { code, ...output };
}

it('The last operator gets back in by a command on the machine, and the old sessions end everywhere', async () => {
  const operator = await registerOperator(service);
  await enrolTotp(operator.api);
  expect(await remove('nobody@example.com')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No account has the email address nobody@example.com'),
  });
  expect(await remove()).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') });
  expect((await operator.api.get('/auth/me')).status).toBe(200);

  const done = await remove(` ${operator.email.toUpperCase()}`);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('1 second factors of') });
  await withinASecond(async () => (await operator.api.get('/auth/me')).status === 401);
  const login = await service.api.post('/auth/login', { email: operator.email, password: GOOD_PASSWORD });
  expect(login.status).toBe(200);
  const again = service.api.as(login.body.access_token);
  const [entry] = (await again.get('/audit?action=user.remove_factors')).body;
  expect(entry).toMatchObject({ actor: 'service', target_id: operator.id, details: { removed: 1 } });
  await enrolTotp(again);
});

it('The secrets of one-time codes are sealed again under a new key, and stay valid', async () => {
  const person = { api: service.api.as((await register()).access_token), email: 'ada@example.com' };
  const { app, id } = await enrolTotp(person.api);
  const sealed = () =>
    service.database.query<{ secret: string }>('SELECT secret FROM second_factors WHERE id = $1', [id]);
  const [before] = await sealed();
  const { code } = await resealSecrets(service.database, {
    WEBHOOK_SECRET_KEY: NEW,
    WEBHOOK_SECRET_KEY_PREVIOUS: OLD,
  });
  expect(code).toBe(0);
  expect((await sealed())[0]!.secret).not.toBe(before!.secret);
  const renewed = await startTestApp({ settings: { WEBHOOK_SECRET_KEY: NEW }, database: service.database });
  try {
    const { token } = await askedAtLogin(renewed, person);
    expect((await answerLogin(renewed, token, { code: app.next() })).status).toBe(200);
  } finally {
    await renewed.close();
  }
});

async function register() {
  const body = { email: 'ada@example.com', password: GOOD_PASSWORD };
  return (await service.api.post('/auth/register', body)).body as { readonly access_token: string };
}
