import { Navigate } from 'react-router';
import { useAgents } from '../api/agents.js';
import { ErrorNotice } from '../components/error-notice.js';
import { Pending } from '../components/pending.js';

/** Redirects users without an agent to the first-run page, others to their agents. */
export function HomeRedirect() {
  const agents = useAgents();
  if (agents.error) return <ErrorNotice error={agents.error} onRetry={agents.refetch} />;
  if (agents.isPending) return <Pending />;
  return <Navigate to={agents.rows.length === 0 ? '/welcome' : '/agents'} replace />;
}
