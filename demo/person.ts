import {
  createServiceClient,
  type Credentials,
  ServiceError,
  type ServiceClient,
  unwrap,
} from '@agent-control-plane/client';
import type { PEOPLE } from './company.js';
import type { Account, Kept } from './kept.js';

export interface Person {
  readonly account: Account;
  readonly service: ServiceClient;
}

/** Logs a person of the company in, and makes the account where there is none. @throws ServiceError */
export async function enter(
  url: string,
  kept: Kept,
  { local, name }: (typeof PEOPLE)[number],
): Promise<Person> {
  const service = createServiceClient({ baseUrl: url });
  const login = async () =>
    (await unwrap(service.POST('/auth/login', { body: kept.account(local) }))).access_token;
  const register = async (account: Account) =>
    (await unwrap(service.POST('/auth/register', { body: { ...account, name } }))).access_token;
  let token = await login().catch(refusal(401));
  token ??= await register(kept.account(local)).catch(refusal(409));
  token ??= await register(kept.rename(local));
  kept.save();
  let current = token;
  const credentials: Credentials = {
    current: () => current,
    // access tokens are short-lived, and the demo goes on for days
    renew: async () => (current = await login()),
  };
  return { account: kept.account(local), service: createServiceClient({ baseUrl: url, credentials }) };
}

/** Takes a refusal with that status for no answer. */
function refusal(status: number): (error: unknown) => undefined {
  return (error) => {
    if (error instanceof ServiceError && error.status === status) return undefined;
    throw error;
  };
}
