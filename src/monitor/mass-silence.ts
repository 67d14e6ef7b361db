import type { FleetSilence, QuietAgent } from '../agents/agent.types.js';

/** Minimum fleet for a mass silence; in a smaller one, half of the fleet is too few agents for a verdict. */
const MINIMUM_FLEET = 10;
/** Time after which a silent agent is lost even during a mass silence; seconds. */
const LONGEST_HOLD_SECONDS = 3_600;

export interface SilenceVerdict {
  readonly lost: readonly string[];
  /**
   * Agents that went silent at once with more than half of the fleet, which must be a fault of the service or its
   * network.
   */
  readonly heldBack: readonly string[];
}

/**
 * Distinguishes lost agents from those whose calls can't arrive: when more than half of the fleet goes silent at
 * once, a network was cut off or a load balancer has failed. "At once" means: last call within one heartbeat interval
 * of each other. So agents that have been silent for long hold back no others, and the first agents whose timeout
 * ends are judged together with the agents that are quiet at that time. Pure.
 */
export function judgeSilence({ fleet, quiet }: FleetSilence): SilenceVerdict {
  const lost: string[] = [];
  const heldBack: string[] = [];
  const silences = quiet.map(({ silentSeconds }) => silentSeconds).sort((one, other) => one - other);
  for (const agent of quiet) {
    if (!agent.isOverdue) continue;
    const atOnce = fleet >= MINIMUM_FLEET && countNear(agent, silences) > fleet / 2;
    (atOnce && agent.silentSeconds < LONGEST_HOLD_SECONDS ? heldBack : lost).push(agent.agentId);
  }
  return { lost, heldBack };
}

/** @param silences of all quiet agents, ascending */
function countNear(
  { silentSeconds, assignedIntervalSeconds }: QuietAgent,
  silences: readonly number[],
): number {
  return (
    countBelow(silences, silentSeconds + assignedIntervalSeconds, true) -
    countBelow(silences, silentSeconds - assignedIntervalSeconds, false)
  );
}

function countBelow(ascending: readonly number[], limit: number, inclusive: boolean): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = ascending[middle]!;
    if (value < limit || (inclusive && value === limit)) low = middle + 1;
    else high = middle;
  }
  return low;
}
