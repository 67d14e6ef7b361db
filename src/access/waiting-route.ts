import { SetMetadata } from '@nestjs/common';

/** Metadata key of routes that wait for something else than the service's own work. */
export const WAITING_ROUTE = 'waiting-route';

/**
 * Marks a long poll, a stream, or a call that waits for another server. It uses no processor time while it waits, so it takes
 * no slot. Something else must bound how many there are.
 */
export const WaitingRoute = () => SetMetadata(WAITING_ROUTE, true);
