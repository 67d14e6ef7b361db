import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconClockHour4,
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlugConnected,
  IconPlugConnectedX,
  IconSquareRoundedX,
  IconTrash,
} from '@tabler/icons-react';
import classes from './status-badge.module.css';

export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'quiet';

interface Look {
  readonly tone: Tone;
  readonly icon: Icon;
  readonly isTurning?: boolean;
}

/** Colour and icon of each status of agents, deployments, runs, commands, deliveries and budgets. */
const LOOKS: Record<string, Look> = {
  creating: { tone: 'quiet', icon: IconCircleDashed },
  deploying: { tone: 'busy', icon: IconLoader2, isTurning: true },
  progressing: { tone: 'busy', icon: IconLoader2, isTurning: true },
  idle: { tone: 'quiet', icon: IconPlayerStop },
  healthy: { tone: 'good', icon: IconCircleCheck },
  degraded: { tone: 'warn', icon: IconAlertTriangle },
  failing: { tone: 'bad', icon: IconAlertTriangle },
  offline: { tone: 'warn', icon: IconPlugConnectedX },
  paused: { tone: 'warn', icon: IconPlayerPause },
  running: { tone: 'busy', icon: IconPlayerPlay },
  ready: { tone: 'good', icon: IconCircleCheck },
  stopped: { tone: 'quiet', icon: IconPlayerStop },
  failed: { tone: 'bad', icon: IconAlertTriangle },
  ok: { tone: 'good', icon: IconCircleCheck },
  warning: { tone: 'warn', icon: IconAlertTriangle },
  exceeded: { tone: 'bad', icon: IconAlertTriangle },
  killed: { tone: 'quiet', icon: IconSquareRoundedX },
  deleting: { tone: 'quiet', icon: IconTrash },
  pending: { tone: 'warn', icon: IconClockHour4 },
  leased: { tone: 'busy', icon: IconLoader2, isTurning: true },
  succeeded: { tone: 'good', icon: IconCircleCheck },
  dead: { tone: 'bad', icon: IconAlertTriangle },
  superseded: { tone: 'quiet', icon: IconSquareRoundedX },
  queued: { tone: 'quiet', icon: IconCircleDashed },
  waiting: { tone: 'warn', icon: IconClockHour4 },
  cancelled: { tone: 'quiet', icon: IconSquareRoundedX },
  timed_out: { tone: 'bad', icon: IconClockHour4 },
  abandoned: { tone: 'bad', icon: IconPlugConnectedX },
  online: { tone: 'good', icon: IconPlugConnected },
  never_connected: { tone: 'quiet', icon: IconCircleDashed },
  active: { tone: 'good', icon: IconCircleCheck },
  inactive: { tone: 'quiet', icon: IconPlayerStop },
  expired: { tone: 'quiet', icon: IconClockHour4 },
  revoked: { tone: 'quiet', icon: IconSquareRoundedX },
};

const UNKNOWN: Look = { tone: 'quiet', icon: IconCircleDashed };

export interface StatusBadgeProps {
  readonly status: string;
  /** Text; absent: the status itself. */
  readonly label?: string;
  /** Tone of a status that has no entry. */
  readonly tone?: Tone;
}

export function StatusBadge({ status, label = status, tone }: StatusBadgeProps) {
  const look = LOOKS[status] ?? UNKNOWN;
  const StatusIcon = look.icon;
  return (
    <span className={classes.badge} data-tone={tone ?? look.tone}>
      <StatusIcon size={14} stroke={2} aria-hidden className={look.isTurning ? classes.turning : undefined} />
      {label}
    </span>
  );
}
