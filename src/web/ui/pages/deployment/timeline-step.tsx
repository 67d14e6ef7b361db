import {
  type Icon,
  IconAlertTriangle,
  IconArrowsMaximize,
  IconCircleCheck,
  IconCloudUp,
  IconHeartBroken,
  IconHeartbeat,
  IconMessageCircle,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconSquareRoundedX,
  IconTrendingDown,
} from '@tabler/icons-react';
import type { DeploymentEvent } from '@agent-control-plane/client';
import { describeActor } from '../../components/actor.js';
import { counted } from '../../components/counted.js';
import type { Tone } from '../../components/status-badge.js';
import { TimelineItem } from '../../components/timeline-item.js';
import { describeEvent } from './event-descriptions.js';

const SIGNS: Readonly<Record<string, readonly [Icon, Tone]>> = {
  deploy: [IconCloudUp, 'busy'],
  running: [IconPlayerPlay, 'busy'],
  recovered: [IconHeartbeat, 'good'],
  ready: [IconCircleCheck, 'good'],
  degraded: [IconTrendingDown, 'warn'],
  crash_looping: [IconAlertTriangle, 'bad'],
  stabilised: [IconHeartbeat, 'good'],
  scale: [IconArrowsMaximize, 'busy'],
  stop: [IconPlayerStop, 'quiet'],
  restart: [IconRefresh, 'busy'],
  paused: [IconPlayerPause, 'warn'],
  resumed: [IconPlayerPlay, 'busy'],
  failed: [IconAlertTriangle, 'bad'],
  deadline_exceeded: [IconAlertTriangle, 'bad'],
  heartbeat_lost: [IconHeartBroken, 'bad'],
  kill: [IconSquareRoundedX, 'quiet'],
};

/** Appearance of an event that another system reported under its own name. */
const NOTE: readonly [Icon, Tone] = [IconMessageCircle, 'quiet'];

interface StepProps {
  readonly event: DeploymentEvent;
  /** Id of the signed-in user. */
  readonly ownId: string;
  readonly isNew: boolean;
}

export function TimelineStep({ event, ownId, isNew }: StepProps) {
  const { title, means } = describeEvent(event);
  const [sign, tone] = SIGNS[event.event_type] ?? NOTE;
  const error = event.error_message;
  return (
    <TimelineItem
      event={event}
      sign={sign}
      tone={tone}
      title={title}
      message={error ? { text: error, label: 'Error message', isError: true } : null}
      isNew={isNew}
    >
      {means} · by {describeActor(event.actor, ownId)}
      {event.node_id && <> · on {event.node_id}</>} · {counted(event.replicas, 'replica')} wanted
    </TimelineItem>
  );
}
