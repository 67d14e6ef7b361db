import type { DeploymentEvent } from '@agent-control-plane/client';

/** Meaning of each step, in the words of docs/lifecycle.md. */
const MEANINGS: Readonly<Record<string, { title: string; means: string }>> = {
  deploy: { title: 'Deployed', means: 'Queued for its runtime' },
  running: { title: 'Running', means: 'Its runtime reports it as running' },
  recovered: { title: 'Recovered', means: 'Its agent is online again' },
  ready: { title: 'Ready', means: 'All wanted replicas are ready' },
  degraded: { title: 'Degraded', means: 'Fewer replicas are ready than wanted' },
  crash_looping: { title: 'Crash-looping', means: 'Five restarts within ten minutes' },
  stabilised: { title: 'Stabilised', means: 'Ten minutes without a restart' },
  scale: { title: 'Scaled', means: 'The number of replicas was changed' },
  stop: { title: 'Stopped', means: 'Its agent was stopped' },
  completed: { title: 'Completed', means: 'All its replicas completed' },
  restart: { title: 'Restarted', means: 'Queued for its runtime again' },
  paused: { title: 'Paused', means: 'No replicas until the agent is resumed' },
  resumed: { title: 'Resumed', means: 'Its replicas start again' },
  failed: { title: 'Failed', means: 'The runtime reported a failure, or did not answer a command' },
  deadline_exceeded: { title: 'Took too long', means: 'It was not running before the deadline' },
  heartbeat_lost: { title: 'Heartbeat lost', means: 'The agent stopped sending heartbeats' },
  kill: { title: 'Deleted', means: 'The record and its history stay' },
};

export interface EventDescription {
  readonly title: string;
  readonly means: string;
}

/** Title and meaning of an event. The title of an inbound report is the name that it gave the event. */
export function describeEvent(event: Pick<DeploymentEvent, 'event_type' | 'replicas'>): EventDescription {
  const known = MEANINGS[event.event_type];
  if (!known) return { title: event.event_type, means: 'Reported by another system; the status stays' };
  if (event.event_type === 'scale') return { ...known, title: `Scaled to ${event.replicas}` };
  return known;
}

export const EVENT_TYPES: readonly { value: string; label: string }[] = Object.entries(MEANINGS).map(
  ([value, { title }]) => ({ value, label: title }),
);
