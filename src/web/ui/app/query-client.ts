import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.js';
import { ApiError } from '../api/request.js';
import { pathHere } from '../components/page-meta.js';

/**
 * Ends the session after a 401; {@link RequireSession} then asks for the password. An operator who has to add a second factor
 * first can do nothing else, and is led there.
 */
function followRefusal(error: Error): void {
  if (!(error instanceof ApiError)) return;
  if (error.code === 'second_factor_enrolment_required') location.assign(pathHere('/enrol'));
  if (error.isUnauthenticated && queryClient.getQueryData(queryKeys.session)) {
    queryClient.setQueryData(queryKeys.session, null);
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: followRefusal }),
  mutationCache: new MutationCache({ onError: followRefusal }),
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
