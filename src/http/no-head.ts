import { SetMetadata } from '@nestjs/common';

/** Metadata key of GET handlers that HEAD must not call. */
export const WITHOUT_HEAD = 'without-head';

/**
 * Marks a GET that has an effect. Express answers HEAD with GET's handler and drops the body, so leased commands would
 * be lost. The path therefore has no HEAD: it is a 405, like every method that a path does not have.
 */
export const NoHead = () => SetMetadata(WITHOUT_HEAD, true);
