import { SetMetadata } from '@nestjs/common';

/** Metadata key of long polls and streams. */
export const WAITING_ROUTE = 'waiting-route';

/** Marks a long poll or stream. It uses no processor time while it waits, so it takes no place. */
export const WaitingRoute = () => SetMetadata(WAITING_ROUTE, true);
