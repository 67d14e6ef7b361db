import {
  type Icon,
  IconAlertTriangle,
  IconArrowsMaximize,
  IconCircleCheck,
  IconChecks,
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
import type { Tone } from '../../components/status-badge.js';

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
  completed: [IconChecks, 'good'],
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

/** Icon and tone of a step of a deployment. */
export const signOf = (eventType: string): readonly [Icon, Tone] => SIGNS[eventType] ?? NOTE;
