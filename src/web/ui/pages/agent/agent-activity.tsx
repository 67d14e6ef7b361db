import { useAuditEntries } from '../../api/audit.js';
import { AuditList } from '../../components/audit-list.js';

/** The entries of the audit log about an agent and what belongs to it: who changed it, deployed it, or cancelled its runs. */
export function AgentActivity({ agentId }: { readonly agentId: string }) {
  return <AuditList isOfAgent list={useAuditEntries({ agent_id: agentId })} />;
}
