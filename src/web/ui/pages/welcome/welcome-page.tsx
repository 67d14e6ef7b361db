import { AgentJourney } from '../../components/agent-journey.js';
import { PageHeader } from '../../components/page-header.js';

export function WelcomePage() {
  return (
    <>
      <PageHeader title="Your first agent">
        An agent is a program of yours. Describe it, start it anywhere, and follow it here.
      </PageHeader>
      <AgentJourney />
    </>
  );
}
