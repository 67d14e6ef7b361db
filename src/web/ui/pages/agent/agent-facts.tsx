import type { AgentDetail } from '@agent-control-plane/client';
import { EntityId } from '../../components/entity-id.js';
import { Fact, FactList } from '../../components/fact-list.js';
import { TimeAgo } from '../../components/time-ago.js';

/** What the agent is, and what it and its runtime have reported. */
export function AgentFacts({ agent }: { readonly agent: AgentDetail }) {
  const { reported_status: reported, reported_message: message, hostname, platform, version } = agent;
  return (
    <FactList label="About the agent">
      <Fact term="Type">{agent.type}</Fact>
      <Fact term="Status">{agent.status}</Fact>
      {reported !== null && (
        <Fact term="Reported status">
          {reported}
          {message !== null && ` (${message})`}
        </Fact>
      )}
      {version !== null && <Fact term="Runtime version">{version}</Fact>}
      {hostname !== null && (
        <Fact term="Host">
          {hostname}
          {platform !== null && ` (${platform})`}
        </Fact>
      )}
      <Fact term="Created">
        <TimeAgo at={agent.created_at} />
      </Fact>
      <Fact term="Id">
        <EntityId id={agent.id} what="agent id" />
      </Fact>
    </FactList>
  );
}
