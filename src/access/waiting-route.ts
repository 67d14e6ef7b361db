import { SetMetadata } from '@nestjs/common';

/** Metadata key of routes that wait for something outside the service. */
export const WAITING_ROUTE = 'waiting-route';

/**
 * Marks a long poll, a stream, or a call that waits for another server. It uses no processor time while it waits, so it
 * takes no slot. A separate limit must bound the number of such requests.
 */
export const WaitingRoute = () => SetMetadata(WAITING_ROUTE, true);
