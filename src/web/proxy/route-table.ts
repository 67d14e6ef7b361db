import { type Method, PASSABLE, type PassableRoute } from './passable-routes.js';

const UUID = '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}';

/** A route, and the path of one request to it on the service's side. */
export interface Match {
  readonly route: PassableRoute;
  readonly servicePath: string;
}

const table = PASSABLE.map((route) => ({ route, pattern: patternOf(route.path) }));

/** Every parameter is a UUID, so nothing that a path could be smuggled in with ever fits; a slash may end it. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, `(?<$1>${UUID})`)}/?$`);
}

/** @param path as it was sent, before anything was decoded in it */
export function matchRoute(path: string): Match | undefined {
  for (const { route, pattern } of table) {
    const found = pattern.exec(path);
    if (!found) continue;
    const parameters = found.groups ?? {};
    return {
      route,
      servicePath: route.service.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name]!),
    };
  }
  return undefined;
}

/** For `Allow`. */
export function methodsOf({ methods }: PassableRoute): Method[] {
  return Object.keys(methods) as Method[];
}
