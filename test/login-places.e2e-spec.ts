import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import { GOOD_PASSWORD, type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const PLACES_OF_ADDRESS = 20;

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp({ settings: { TRUST_PROXY: '1' } });
  person = await registerPerson(service);
});

afterAll(() => service.close());

const loginFrom = (address: string) =>
  service.api.post(
    '/auth/login',
    { email: person.email, password: GOOD_PASSWORD },
    { headers: { 'x-forwarded-for': address } },
  );

describe('While a hundred logins come from one address', () => {
  it('most are refused at once, forms are served, and the login of another address has its turn', async () => {
    const compare = bcrypt.compare.bind(bcrypt);
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    const held = jest.spyOn(bcrypt, 'compare').mockImplementation((async (text: string, hash: string) => {
      await gate;
      return compare(text, hash);
    }) as never);
    try {
      const refused: Awaited<ReturnType<typeof loginFrom>>[] = [];
      const flood = Array.from({ length: 100 }, async () => {
        const reply = await loginFrom('192.0.2.1');
        if (reply.status !== 200) refused.push(reply);
        return reply.status;
      });
      await until(() => refused.length === 100 - PLACES_OF_ADDRESS);
      // requests that arrived before the refusals found all slots taken
      for (const reply of refused) expectError(reply, reply.status === 503 ? 503 : 429);
      expect(refused.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
      expectError(await loginFrom('192.0.2.1'), 429, /passwords from this IP address/);
      const other = loginFrom('192.0.2.2');
      const forms = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          service.api.post('/newsletter', { email: `reader-${index}@example.com` }),
        ),
      );
      expect(forms.map(({ status }) => status)).toEqual(Array(10).fill(200));
      letGo();
      expect((await other).status).toBe(200);
      expect((await Promise.all(flood)).filter((status) => status === 200)).toHaveLength(PLACES_OF_ADDRESS);
    } finally {
      letGo();
      held.mockRestore();
    }
    expect((await loginFrom('192.0.2.1')).status).toBe(200);
  });
});
