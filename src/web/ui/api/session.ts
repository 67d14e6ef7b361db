import { useQuery } from '@tanstack/react-query';
import type { User } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { ApiError, request } from './request.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface Registration extends Credentials {
  readonly name?: string;
  /** Makes the account the first operator's. */
  readonly setup_token?: string;
}

export const signIn = (credentials: Credentials) => request<User>('POST', '/api/auth/login', credentials);
export const signUp = (registration: Registration) =>
  request<User>('POST', '/api/auth/register', registration);
/** Sets a password with the token of a one-time link. */
export const resetPassword = (token: string, newPassword: string) =>
  request<void>('POST', '/api/auth/password-reset', { token, new_password: newPassword });
export const signOut = () => request<unknown>('POST', '/api/auth/logout');

/** The signed-in user; null: none. Fails only if the service can't answer. */
async function readSession(signal: AbortSignal): Promise<User | null> {
  try {
    return await request<User>('GET', '/api/auth/me', undefined, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.isUnauthenticated) return null;
    throw error;
  }
}

/** Another tab may have signed in or out: after this time the session is read again; milliseconds. */
const STALE_AFTER_MS = 60_000;

export const sessionQuery = {
  queryKey: queryKeys.session,
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => readSession(signal),
  staleTime: STALE_AFTER_MS,
};

export const useSession = () => useQuery({ ...sessionQuery, refetchOnWindowFocus: 'always' });
