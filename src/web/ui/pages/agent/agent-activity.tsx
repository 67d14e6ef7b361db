import { useAuditEntries } from '../../api/audit.js';
import { AuditList } from '../../components/audit-list.js';

/** The entries of the audit log about an agent: who changed it, deployed it or read its secrets. */
export function AgentActivity({ agentId }: { readonly agentId: string }) {
  return <AuditList isOfOne list={useAuditEntries({ target_id: agentId })} />;
}
