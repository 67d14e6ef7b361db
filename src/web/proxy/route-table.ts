import { type Method, PASSABLE, type PassableRoute } from './passable-routes.js';

const UUID = '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}';
/** The number of a config version. */
const NUMBER = '[1-9][0-9]{0,9}';
/** Parameters that are no UUIDs. */
const SHAPES: Readonly<Record<string, string>> = { config_version: NUMBER, span_id: `[0-9a-f]{16}|${UUID}` };

/** A route, and the service's path for one request. */
export interface Match {
  readonly route: PassableRoute;
  readonly servicePath: string;
}

const table = PASSABLE.map((route) => ({ route, pattern: patternOf(route.path) }));

/**
 * Pattern of a path. Parameters match UUIDs, a number or the id of a span only, so that no other path gets to the service. A slash at the end is
 * allowed.
 */
function patternOf(path: string): RegExp {
  return new RegExp(
    `^${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${SHAPES[name] ?? UUID})`)}/?$`,
  );
}

/** @param path as sent, not decoded */
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

/** The methods of a route, for `Allow`. */
export function methodsOf({ methods }: PassableRoute): Method[] {
  return Object.keys(methods) as Method[];
}
