/** Fleet size from which heartbeats are spread by jitter. */
const SPREAD_FROM = 100;
/** Maximum jitter: the interval is longer by a random share of itself, up to this one. */
const JITTER = 0.1;

export interface HeartbeatPace {
  /** The interval of a small fleet, in seconds. */
  readonly baseSeconds: number;
  /** Heartbeats a second that the whole fleet may send. */
  readonly maximumRate: number;
}

/**
 * The interval to assign to an agent, in whole seconds. It grows when the fleet would send more than `maximumRate`
 * heartbeats a second, and has jitter, so that agents that started together drift apart. Pure.
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
