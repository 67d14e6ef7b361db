import { jest } from '@jest/globals';
import { AccessTokenStrategy } from '../src/auth/access-token.strategy.js';
import { registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Cost of a request after similar ones, in counts, which are the same on all machines. */

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

afterEach(() => jest.restoreAllMocks());

it('The signature of an access token is verified once for all of its requests', async () => {
  const other = await registerPerson(app);
  // The strategy validates the claims of tokens whose signature it has verified.
  const verified = jest.spyOn(app.app.get(AccessTokenStrategy), 'validate');
  for (let request = 0; request < 3; request++) expect((await other.api.get('/agents')).status).toBe(200);
  expect(verified).toHaveBeenCalledTimes(1);
});
