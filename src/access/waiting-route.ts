import { SetMetadata } from '@nestjs/common';

/** Metadata key of routes that mostly wait. */
export const WAITING_ROUTE = 'waiting-route';

/** The request waits until something happens: it is no work meanwhile, and takes no place among those under way. */
export const WaitingRoute = () => SetMetadata(WAITING_ROUTE, true);
