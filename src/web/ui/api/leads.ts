import type { Lead } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';

/** All leads; operators only. */
export const useLeads = (): LoadedList<Lead> => useList<Lead>(queryKeys.leads, '/api/leads?limit=50');
