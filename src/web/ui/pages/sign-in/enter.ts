import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { User } from '@agent-control-plane/client';
import { queryKeys } from '../../api/query-keys.js';

/** Begins a session in this tab, and clears cached data of a previous user. @param wanted path of the page to open */
export function useEnter(wanted: string): (user: User) => void {
  const client = useQueryClient();
  const navigate = useNavigate();
  return (user) => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
    client.setQueryData(queryKeys.session, user);
    void navigate(wanted, { replace: true });
  };
}
