import { SetMetadata } from '@nestjs/common';

/** Metadata key of handlers of GET that HEAD must not reach. */
export const WITHOUT_HEAD = 'without-head';

/**
 * For a GET that has an effect. Express answers HEAD with GET's handler and drops the body; here what the handler has
 * handed out would be lost with it, so the path has no HEAD: a 405, as every method is that a path does not have.
 */
export const NoHead = () => SetMetadata(WITHOUT_HEAD, true);
