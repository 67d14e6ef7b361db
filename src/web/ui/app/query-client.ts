import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.js';
import { ApiError } from '../api/request.js';

/** Ends the session after a 401; {@link RequireSession} then asks for the password. */
function endSessionOn(error: Error): void {
  if (error instanceof ApiError && error.isUnauthenticated && queryClient.getQueryData(queryKeys.session)) {
    queryClient.setQueryData(queryKeys.session, null);
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endSessionOn }),
  mutationCache: new MutationCache({ onError: endSessionOn }),
  defaultOptions: {
    queries: {
      // live events mark stale data
      staleTime: 10_000,
      // the service may be on this machine, even when the browser is offline
      networkMode: 'always',
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.isAway,
      retryDelay: 500,
    },
    mutations: { networkMode: 'always' },
  },
});
