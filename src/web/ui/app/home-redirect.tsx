import { Navigate } from 'react-router';
import { useAgents } from '../api/agents.js';
import { ErrorNotice } from '../components/error-notice.js';
import { Pending } from '../components/pending.js';

/** Who has no agent yet is led to one. */
export function HomeRedirect() {
  const agents = useAgents();
  if (agents.error) return <ErrorNotice error={agents.error} onRetry={agents.refetch} />;
  if (agents.isPending) return <Pending />;
  return <Navigate to={agents.rows.length === 0 ? '/welcome' : '/agents'} replace />;
}
