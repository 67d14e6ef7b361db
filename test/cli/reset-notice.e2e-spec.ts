import { GOOD_PASSWORD, registerOperator, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Svc } from './svc.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

describe('svc', () => {
  it('reports at a login and in whoami that an operator has made a link to set the password', async () => {
    const operator = await registerOperator(app);
    const owner = await registerPerson(app);
    const svc = await Svc.loggedIn(app.url, owner.email);
    try {
      expect((await svc.run(['whoami'])).stdout).not.toContain('Password link');
      await operator.api.post(`/users/${owner.id}/password-reset`);
      const login = await svc.run(['login', '--email', owner.email], {
        env: { SERVICE_PASSWORD: GOOD_PASSWORD },
      });
      expect([login.code, login.stderr]).toEqual([
        0,
        expect.stringContaining('An operator made a link to set a new password of your account at 20'),
      ]);
      expect((await svc.run(['whoami'])).stdout).toMatch(/Password link of an operator +20\d\d-/);
    } finally {
      await svc.removeHome();
    }
  });
});
