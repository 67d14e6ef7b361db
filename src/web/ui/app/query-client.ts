import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.js';
import { ApiError } from '../api/request.js';

/** Whatever is refused for want of a session ends it here; {@link RequireSession} then asks for the password. */
function endSessionOn(error: Error): void {
  if (error instanceof ApiError && error.status === 401 && queryClient.getQueryData(queryKeys.session)) {
    queryClient.setQueryData(queryKeys.session, null);
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endSessionOn }),
  mutationCache: new MutationCache({ onError: endSessionOn }),
  defaultOptions: {
    queries: {
      // live events say when something is out of date
      staleTime: 10_000,
      // the service may be on this machine, whatever the browser thinks of the network
      networkMode: 'always',
      retry: (failures, error) => failures < 1 && error instanceof ApiError && error.isAway,
      retryDelay: 500,
    },
    mutations: { networkMode: 'always' },
  },
});
