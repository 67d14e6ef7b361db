import { type Person, registerPerson } from '../builders/people.js';
import { answerLogin, askedAtLogin, codeOf, enrolTotp } from '../builders/second-factors.js';
import { letClockRun, stopClock } from '../harness/own-clock.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

const settings = { TRUST_PROXY: '1' };
const started: TestApp[] = [];

beforeAll(() => stopClock());

afterAll(async () => {
  for (const service of started.reverse()) await service.close();
  letClockRun();
});

async function twoInstances(limits: Readonly<Record<string, string>>): Promise<TestApp[]> {
  const one = await startTestApp({ settings: { ...settings, ...limits } });
  const two = await startTestApp({ settings: { ...settings, ...limits }, database: one.database });
  started.push(one, two);
  return [one, two];
}

it('Wrong codes of a day are limited for the account, and a recovery code still lets its owner in', async () => {
  const instances = await twoInstances({ RATE_LIMIT_SECOND_FACTOR_PER_ACCOUNT: '4' });
  const person = await registerPerson(instances[0]!);
  const { app, recoveryCodes } = await enrolTotp(person.api);
  const { token } = await askedAtLogin(instances[0]!, person);
  const guess = async (at: TestApp, answer: object) => codeOf(await answerLogin(at, token, answer));
  // A right code does not count.
  expect((await person.api.post('/auth/step-up', { code: app.next() })).status).toBe(200);
  for (const at of [...instances, ...instances])
    expect(await guess(at, { code: app.shown(7) })).toBe('401 wrong_second_factor');
  for (const at of instances) expect(await guess(at, { code: app.next() })).toBe('429 rate_limited');
  const [counted] = await instances[0]!.database.query<{ left: number }>(
    `SELECT (expire / 1000 - extract(epoch FROM now()))::int AS left FROM rate_limits WHERE key LIKE 'second_factor%'`,
  );
  expect(counted!.left).toBeGreaterThan(80_000);
  expect(await guess(instances[1]!, { recovery_code: recoveryCodes![0] })).toBe('200');
});

it('Wrong answers count as wrong passwords do, at a login and at a step-up', async () => {
  const [one] = (await twoInstances({ RATE_LIMIT_LOGIN_PER_ACCOUNT: '3' })) as [TestApp];
  const person: Person = await registerPerson(one);
  await enrolTotp(person.api);
  const wrong = { recovery_code: 'not one of them' };
  const { token } = await askedAtLogin(one, person);
  expect(codeOf(await answerLogin(one, token, wrong))).toBe('401 wrong_second_factor');
  expect(codeOf(await person.api.post('/auth/step-up', wrong))).toBe('400 wrong_second_factor');
  expect(codeOf(await person.api.post('/auth/step-up', wrong))).toBe('400 wrong_second_factor');
  expect(codeOf(await person.api.post('/auth/step-up', wrong))).toBe('429 rate_limited');
  expect(codeOf(await answerLogin(one, token, wrong))).toBe('429 rate_limited');
  const password = { email: person.email, password: 'Wrong-horse-7' };
  expect(codeOf(await one.api.post('/auth/login', password))).toBe('429 rate_limited');
});
