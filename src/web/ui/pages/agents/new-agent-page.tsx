import { AgentJourney } from '../../components/agent-journey.js';
import { PageHeader } from '../../components/page-header.js';

export function NewAgentPage() {
  return (
    <>
      <PageHeader title="New agent" back={{ to: '/agents', label: 'Agents' }} />
      <AgentJourney />
    </>
  );
}
