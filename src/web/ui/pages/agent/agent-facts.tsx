import type { AgentDetail } from '@agent-control-plane/client';
import { EntityId } from '../../components/entity-id.js';
import { Fact, FactList } from '../../components/fact-list.js';
import { TimeAgo } from '../../components/time-ago.js';

/** Properties of the agent, and reports of it and its runtime. */
export function AgentFacts({ agent }: { readonly agent: AgentDetail }) {
  const {
    reported_status: reported,
    reported_message: message,
    hostname,
    platform,
    version,
    runtime,
  } = agent;
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
      {version !== null && <Fact term="Program version">{version}</Fact>}
      {runtime !== null && <Fact term="Runtime">{runtimeText(runtime)}</Fact>}
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

/** `svc run 1.0.0, protocol 1`. */
function runtimeText({ name, version, protocol, outdated }: NonNullable<AgentDetail['runtime']>): string {
  const named = [name, version].filter((part) => part !== null).join(' ');
  return [named, protocol !== null && `protocol ${protocol}`, outdated && 'too old for the service']
    .filter((part) => part !== false)
    .join(', ');
}
