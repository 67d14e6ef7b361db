import { BadRequestException, MethodNotAllowedException, NotFoundException } from '@nestjs/common';
import type { Express, Request, Response } from 'express';
import { WITHOUT_HEAD } from './no-head.js';

type Methods = ReadonlySet<string>;

/**
 * Refuses unknown routes before the credential and the body are read: an unknown path with 404, a method that the path
 * does not have with 405. Express would try the next matching route, and answer 404 to both. OPTIONS is a 405, too,
 * because pages of other origins may not call the service.
 */
export function refuseUnknownRoutes(express: Express) {
  let methodsOf: ((path: string) => Methods | undefined) | undefined;
  return ({ path, method }: Request, response: Response): void => {
    // Nest has registered all routes before the first request.
    methodsOf ??= methodsByPath(express);
    const methods = methodsOf(path);
    if (!methods) throw new NotFoundException();
    if (!methods.has(method)) {
      response.setHeader('Allow', [...methods].sort().join(', '));
      throw new MethodNotAllowedException(
        `The path does not support ${method}: the header Allow lists the supported methods`,
      );
    }
    if (!isDecodable(path)) throw new BadRequestException('Malformed path');
  };
}

/** The methods of each path. A path without parameters wins over one with them, as in the order of the registered routes. */
function methodsByPath(express: Express): (path: string) => Methods | undefined {
  const fixed = new Map<string, Set<string>>();
  const patterns = new Map<string, Set<string>>();
  for (const { path, methods } of routesOf(express)) {
    const isFixed = !path.includes(':');
    const known = isFixed ? fixed : patterns;
    const key = isFixed ? fixedKey(path) : path.replaceAll(/:\w+/g, '[^/]+');
    known.set(key, new Set([...(known.get(key) ?? []), ...methods]));
  }
  const matchers = [...patterns].map(([pattern, methods]) => ({
    pattern: new RegExp(`^${pattern}/?$`, 'i'),
    methods,
  }));
  return (path) => fixed.get(fixedKey(path)) ?? matchers.find(({ pattern }) => pattern.test(path))?.methods;
}

/** Key of a path without parameters, by Express's comparison: case and one slash at the end are ignored. */
function fixedKey(path: string): string {
  return (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).toLowerCase();
}

/** The registered routes: their templates, as in `/agents/:agent_id`, and methods. Express answers HEAD with GET's handler. */
export function routesOf(express: Express): { readonly path: string; readonly methods: readonly string[] }[] {
  return express.router.stack.flatMap(({ route }) => {
    if (!route) return [];
    return route.stack.map(({ method, handle }) => ({
      path: route.path,
      methods:
        method === 'get' && !Reflect.hasMetadata(WITHOUT_HEAD, handle)
          ? ['GET', 'HEAD']
          : [method.toUpperCase()],
    }));
  });
}

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
