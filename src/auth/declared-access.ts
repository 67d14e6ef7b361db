import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { ROUTE_ACCESS, type RouteAccess } from '../access/route-access.js';

/** Who may call the route, as it is declared at its method, else at its controller. */
export function declaredAccess(reflector: Reflector, context: ExecutionContext): RouteAccess | undefined {
  return reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, [
    context.getHandler(),
    context.getClass(),
  ]);
}
