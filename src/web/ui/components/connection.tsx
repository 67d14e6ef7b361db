import type { Agent } from '@agent-control-plane/client';
import { Heartbeat } from './heartbeat.js';

/** Connection of an agent's runtime, with the time of its last heartbeat. */
export function Connection({ agent }: { readonly agent: Agent }) {
  if (agent.connection === 'never_connected') return <>never connected</>;
  if (agent.last_heartbeat === null) return <>{agent.connection}</>;
  return (
    <span className="nowrap">
      {agent.connection}, <Heartbeat at={agent.last_heartbeat} isOnline={agent.connection === 'online'} />
    </span>
  );
}
