import { ROUTE_ACCESS, type RouteAccess } from './route-access.js';
import { routeFact } from './route-fact.js';

/** Who may call the route, as it is declared at its method, else at its controller. */
export const declaredAccess = routeFact(
  (context) =>
    (Reflect.getMetadata(ROUTE_ACCESS, context.getHandler()) ??
      Reflect.getMetadata(ROUTE_ACCESS, context.getClass())) as RouteAccess | undefined,
);
