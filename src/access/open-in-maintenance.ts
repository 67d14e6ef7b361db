import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const OPEN_IN_MAINTENANCE = 'open-in-maintenance';

/** The route changes something that people also change during maintenance: a switch of the service. */
export const OpenInMaintenance = () => SetMetadata(OPEN_IN_MAINTENANCE, true);

export function isOpenInMaintenance(context: ExecutionContext): boolean {
  return Reflect.getMetadata(OPEN_IN_MAINTENANCE, context.getClass()) === true;
}
