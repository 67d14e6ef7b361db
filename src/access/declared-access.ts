import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ACCESS, type RouteAccess } from './route-access.js';

/** The declared access of a route: that of its method, else that of its controller. */
export function declaredAccess(context: ExecutionContext): RouteAccess | undefined {
  return (Reflect.getMetadata(ROUTE_ACCESS, context.getHandler()) ??
    Reflect.getMetadata(ROUTE_ACCESS, context.getClass())) as RouteAccess | undefined;
}
