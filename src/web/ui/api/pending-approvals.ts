import { useQuery } from '@tanstack/react-query';
import { useChosenProjectId } from './chosen-project.js';
import { queryKeys } from './query-keys.js';

/** How many questions wait, as the navigation has counted them; undefined: not yet. */
export const usePendingCount = (): number | undefined =>
  useQuery<number>({
    queryKey: [...queryKeys.approvals.counts, useChosenProjectId()],
    enabled: false,
  }).data;
