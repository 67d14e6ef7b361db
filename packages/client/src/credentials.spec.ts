import { jest } from '@jest/globals';
import { SessionCredentials, type Tokens } from './credentials.js';

const pair = (name: string): Tokens => ({ access_token: `access-${name}`, refresh_token: `refresh-${name}` });

class MemoryStore {
  constructor(public tokens: Tokens | undefined) {}
  read = () => this.tokens;
  write = (tokens: Tokens) => void (this.tokens = tokens);
}

it('A session sends the stored access token, or none', async () => {
  const store = new MemoryStore(pair('1'));
  const session = new SessionCredentials(store, async () => undefined);
  expect(await session.current()).toBe('access-1');
  store.tokens = undefined;
  expect(await session.current()).toBeUndefined();
});

it('A session refreshes once for any number of concurrent refusals, and stores the new tokens', async () => {
  const store = new MemoryStore(pair('1'));
  const refresh = jest.fn(async () => pair('2'));
  const session = new SessionCredentials(store, refresh);
  const renewed = await Promise.all(Array.from({ length: 50 }, () => session.renew('access-1')));
  expect(new Set(renewed)).toEqual(new Set(['access-2']));
  expect(refresh.mock.calls).toEqual([['refresh-1']]);
  expect(store.tokens).toEqual(pair('2'));
});

it('A session needs no refresh for a late refusal, or after another process has refreshed', async () => {
  const store = new MemoryStore(pair('2'));
  const refresh = jest.fn(async () => pair('3'));
  const session = new SessionCredentials(store, refresh);
  expect(await session.renew('access-1')).toBe('access-2');
  expect(refresh).not.toHaveBeenCalled();
});

it('A session returns no token and keeps the stored ones when the refresh token is refused too', async () => {
  const store = new MemoryStore(pair('1'));
  const session = new SessionCredentials(store, async () => undefined);
  expect(await session.renew('access-1')).toBeUndefined();
  expect(store.tokens).toEqual(pair('1'));
  expect(await new SessionCredentials(new MemoryStore(undefined), async () => pair('2')).renew('x')).toBe(
    undefined,
  );
});

it('A session refreshes again after a refresh without an answer', async () => {
  const refresh = jest
    .fn<(refreshToken: string) => Promise<Tokens>>()
    .mockRejectedValueOnce(new Error('away'));
  refresh.mockResolvedValue(pair('2'));
  const session = new SessionCredentials(new MemoryStore(pair('1')), refresh);
  await expect(session.renew('access-1')).rejects.toThrow('away');
  expect(await session.renew('access-1')).toBe('access-2');
});
