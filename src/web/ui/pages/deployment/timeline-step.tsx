import {
  type Icon,
  IconAlertTriangle,
  IconArrowsMaximize,
  IconCircleCheck,
  IconCloudUp,
  IconHeartBroken,
  IconHeartbeat,
  IconMessageCircle,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconSquareRoundedX,
  IconTrendingDown,
} from '@tabler/icons-react';
import type { DeploymentEvent } from '@agent-control-plane/client';
import { counted } from '../../components/counted.js';
import { StatusBadge, type Tone } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { describeActor, describeEvent } from './event-descriptions.js';
import classes from './timeline.module.css';

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
  const [Sign, tone] = SIGNS[event.event_type] ?? NOTE;
  return (
    <li className={classes.item} data-new={isNew}>
      <span className={classes.mark} data-tone={tone}>
        <Sign size={16} aria-hidden />
      </span>
      <div className={classes.body}>
        <p className={classes.title}>
          <strong>{title}</strong> <Change event={event} />
        </p>
        <p className={classes.detail}>
          {means} · by {describeActor(event.actor, ownId)}
          {event.node_id && <> · on {event.node_id}</>} · {counted(event.replicas, 'replica')} wanted
        </p>
        {event.error_message && (
          <p
            className={classes.error}
            tabIndex={0}
            role="group"
            aria-label={`Error message of step ${event.sequence}`}
          >
            {event.error_message}
          </p>
        )}
      </div>
      <span className={classes.time}>
        <TimeAgo at={event.created_at} />
        <span className={classes.sequence}>
          <span className="visually-hidden">step </span>#{event.sequence}
        </span>
      </span>
    </li>
  );
}

function Change({ event }: { readonly event: DeploymentEvent }) {
  const { status, previous_status: before } = event;
  if (before === null || before === status) return <StatusBadge status={status} />;
  return (
    <span className={classes.change}>
      <StatusBadge status={before} />
      <span aria-hidden>→</span>
      <span className="visually-hidden"> became </span>
      <StatusBadge status={status} />
    </span>
  );
}
