import type { Agent } from '@agent-control-plane/client';
import { Heartbeat } from './heartbeat.js';
import { TimeAgo } from './time-ago.js';

/** Connection of an agent's runtime, with the time of its last heartbeat. */
export function Connection({ agent }: { readonly agent: Agent }) {
  if (agent.connection === 'never_connected') return <>never connected</>;
  return (
    <Heartbeat isOnline={agent.connection === 'online'}>
      {agent.connection}
      {agent.last_heartbeat !== null && (
        <>
          , <TimeAgo at={agent.last_heartbeat} />
        </>
      )}
    </Heartbeat>
  );
}
