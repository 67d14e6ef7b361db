import { useQuery } from '@tanstack/react-query';
import type { components } from '@agent-control-plane/client';
import type { HealthState } from './agents.js';
import { useChosenProjectId } from './chosen-project.js';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

type Reply = components['schemas']['HealthHoursResponse'];

/** Largest number of agents that the service takes in a request. */
const MOST = 100;
/** Rows that come into view within this time are read together; milliseconds. */
const COLLECTED_MS = 200;
const REFRESH_MS = 60_000;

interface Batch {
  readonly projectId: string | undefined;
  readonly ids: Set<string>;
  readonly reply: Promise<ReadonlyMap<string, readonly HealthState[]>>;
}

/** The batch that still takes ids. */
let open: Batch | null = null;

function readTogether(id: string, projectId: string | undefined): Promise<readonly HealthState[]> {
  if (open === null || open.projectId !== projectId || open.ids.size >= MOST) open = begin(projectId);
  open.ids.add(id);
  return open.reply.then((found) => found.get(id) ?? []);
}

function begin(projectId: string | undefined): Batch {
  const ids = new Set<string>();
  const collected = new Promise((resolve) => setTimeout(resolve, COLLECTED_MS));
  const batch: Batch = {
    projectId,
    ids,
    reply: collected.then(() => {
      if (open === batch) open = null;
      return read(ids, projectId);
    }),
  };
  return batch;
}

async function read(
  ids: ReadonlySet<string>,
  projectId: string | undefined,
): Promise<Map<string, HealthState[]>> {
  const wanted = new URLSearchParams([...ids].map((id) => ['agent_id', id]));
  if (projectId !== undefined) wanted.set('project_id', projectId);
  const { agents } = await request<Reply>('GET', `/api/dashboard/agents/health-hours?${wanted}`);
  return new Map(agents.map(({ agent_id, hours }) => [agent_id, hours]));
}

/** The worst health of an agent in each hour of the last day, oldest first; undefined until it is loaded. */
export function useHealthHours(id: string): readonly HealthState[] | undefined {
  const projectId = useChosenProjectId();
  return useQuery({
    queryKey: queryKeys.healthHours(id),
    queryFn: () => readTogether(id, projectId),
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  }).data;
}
