import type { Agent } from '@agent-control-plane/client';
import { Heartbeat } from './heartbeat.js';

/** Whether an agent's runtime calls, and when it last sent a heartbeat. */
export function Connection({ agent }: { readonly agent: Agent }) {
  if (agent.connection === 'never_connected') return <>never connected</>;
  if (agent.last_heartbeat === null) return <>{agent.connection}</>;
  return (
    <span className="nowrap">
      {agent.connection}, <Heartbeat at={agent.last_heartbeat} isOnline={agent.connection === 'online'} />
    </span>
  );
}
