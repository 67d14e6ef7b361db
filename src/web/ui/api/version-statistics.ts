import { useQuery } from '@tanstack/react-query';
import type { components } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

export type VersionFigures = components['schemas']['VersionFigures'];
export type VersionStatistics = components['schemas']['VersionStatistics'];

/** Results of these config versions' runs in the last 30 days, the newest version first. */
export const useVersionStatistics = (agentId: string, versions: readonly number[]) =>
  useQuery({
    queryKey: queryKeys.runs.ofVersions(agentId, versions),
    queryFn: ({ signal }) => {
      const named = new URLSearchParams(versions.map((version) => ['config_version', String(version)]));
      const path = `/api/dashboard/agents/${agentId}/runs/config-versions?${named}`;
      return request<VersionStatistics>('GET', path, undefined, { signal });
    },
  });
