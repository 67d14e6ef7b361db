import { useQuery } from '@tanstack/react-query';
import type { components, User } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

/** The ways in which people can log in; the service's settings decide. */
export type LoginMethods = components['schemas']['LoginMethodsResponse'];

/** @param isEnabled false: they are not read yet */
export const useLoginMethods = (isEnabled = true) =>
  useQuery({
    enabled: isEnabled,
    queryKey: queryKeys.loginMethods,
    queryFn: ({ signal }) => request<LoginMethods>('GET', '/api/auth/methods', undefined, { signal }),
    staleTime: Infinity,
  });

/** Begins a single sign-on. @returns the address of the provider's page */
export const beginSso = async (): Promise<string> => {
  // a provider that does not answer says nothing about the service
  const options = { isProbe: true };
  const reply = await request<{ authorization_url: string }>('POST', '/api/auth/sso', {}, options);
  return reply.authorization_url;
};

/** @param query of the address to which the provider has sent this browser */
export const finishSso = (query: string) =>
  request<User>('POST', '/api/auth/sso/tokens', { query }, { isProbe: true });
