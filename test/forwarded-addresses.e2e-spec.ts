import { GOOD_PASSWORD, type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp({ settings: { TRUST_PROXY: '1' } });
  person = await registerPerson(service);
});

afterAll(() => service.close());

it.each([
  ['203.0.113.7:52341', '203.0.113.7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
])('The address of a session has no port when X-Forwarded-For is %s', async (given, address) => {
  const body = { email: person.email, password: GOOD_PASSWORD };
  const reply = await service.api.post('/auth/login', body, { headers: { 'x-forwarded-for': given } });
  const sessions = (await service.api.as(reply.body.access_token).get('/auth/sessions')).body;
  expect(sessions.find(({ current }: { current: boolean }) => current).address).toBe(address);
});
