/** From this many agents on, heartbeats that fall together are worth spreading. */
const SPREAD_FROM = 100;
/** The interval is made longer by up to this share of itself, differently each time. */
const JITTER = 0.1;

export interface HeartbeatPace {
  /** The interval of a small fleet, in seconds. */
  readonly baseSeconds: number;
  /** Heartbeats a second that the whole fleet may send. */
  readonly maximumRate: number;
}

/**
 * The interval that an agent is told, in whole seconds: longer when the fleet is so large that it would send more
 * than `maximumRate` heartbeats a second, and spread, so that agents that started together drift apart. Pure.
 *
 * @param fleet agents online
 * @param random from 0 up to, and not including, 1
 */
export function heartbeatInterval(
  fleet: number,
  { baseSeconds, maximumRate }: HeartbeatPace,
  random: number,
): number {
  const interval = Math.max(baseSeconds, Math.ceil(fleet / maximumRate));
  if (fleet < SPREAD_FROM) return interval;
  return interval + Math.floor(random * (interval * JITTER + 1));
}
