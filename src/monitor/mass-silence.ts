/** Below this, "half of the fleet" means nothing. */
const MINIMUM_FLEET = 10;

/**
 * Whether so much of the fleet is silent that the fault must be on our side: a network cut off, a load balancer gone.
 * Pure.
 *
 * @param fleet agents that count as online, the silent ones among them
 */
export function isMassSilence(fleet: number, silent: number): boolean {
  return fleet >= MINIMUM_FLEET && silent > fleet / 2;
}
