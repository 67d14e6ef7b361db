import { ROUTE_ACCESS, type RouteAccess } from './route-access.js';
import { routeFact } from './route-fact.js';

/** The declared access of a route: that of its method, else that of its controller. */
export const declaredAccess = routeFact(
  (context) =>
    (Reflect.getMetadata(ROUTE_ACCESS, context.getHandler()) ??
      Reflect.getMetadata(ROUTE_ACCESS, context.getClass())) as RouteAccess | undefined,
);
