import { IconBan } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { AgentQuotas } from '@agent-control-plane/client';
import { request } from '../../api/request.js';
import { Notice } from '../../components/notice.js';
import { TimeAgo } from '../../components/time-ago.js';

/** The data of the agent that the service refuses to store today; nothing if there is none, or it is unknown. */
export function QuotaNotice({ agentId }: { readonly agentId: string }) {
  const { data } = useQuery({
    queryKey: ['agents', 'quotas', agentId],
    queryFn: ({ signal }) =>
      request<AgentQuotas>('GET', `/api/dashboard/agents/${agentId}/quotas`, undefined, { signal }),
    refetchInterval: 60_000,
  });
  const refused = data?.quotas.filter(({ refused_since }) => refused_since !== null) ?? [];
  if (refused.length === 0) return null;
  return (
    <Notice tone="warn" icon={IconBan} title="A quota is used up until midnight, UTC" role="status">
      {refused.map(({ kind, scope, refused_since }) => (
        <p key={`${scope} ${kind}`}>
          {kind.replaceAll('_', ' ')} of the {scope} are refused since <TimeAgo at={refused_since} />
        </p>
      ))}
    </Notice>
  );
}
