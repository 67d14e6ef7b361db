import { BadRequestException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { WITHOUT_HEAD } from './no-head.js';

/** A handler as Nest registers it. Its own failures go to the filters; the promise rejects only when a filter fails. */
export type RouteHandler = (request: Request, response: Response, next: NextFunction) => unknown;

/** A registered handler. Requests that reached it carry the route as `request.route`. */
export interface Route {
  /** The template, as in `/agents/:agent_id`. */
  readonly path: string;
  readonly handle: RouteHandler;
  /** Parameters, and the number of the segment that each stands for. */
  readonly parameters: readonly { readonly name: string; readonly at: number }[];
}

/** A beginning of paths. */
interface Node {
  /** Nodes of the next segment, by the segment in lower case. */
  readonly fixed: Map<string, Node>;
  /** Follows for any other segment that is not empty. */
  parameter?: Node;
  /** The routes that end here, by method. */
  readonly routes: Map<string, Route>;
}

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Routes by path and method, as a tree of segments. A fixed segment wins over a parameter in whatever order both were
 * registered, and a path without a method is distinct from an unknown path. As in Express, capitals and one slash at the
 * end change nothing, and fixed segments are compared as they were sent, without decoding `%`.
 */
export class RouteTable {
  private readonly root = emptyNode();
  /** The ends of paths without parameters, found without splitting a path that is sent as it is registered. */
  private readonly fixed = new Map<string, Node>();

  /**
   * A GET is registered for HEAD too, unless it is marked with `@NoHead()`.
   *
   * @throws Error when another route has the method and the same path but for names of parameters
   */
  add(method: string, path: string, handle: RouteHandler): void {
    let node = this.root;
    const parameters: Route['parameters'][number][] = [];
    segmentsOf(path).forEach((segment, at) => {
      if (segment.startsWith(':')) {
        parameters.push({ name: segment.slice(1), at });
        node = node.parameter ??= emptyNode();
      } else node = childOf(node, segment.toLowerCase());
    });
    const other = node.routes.get(method);
    if (other)
      throw new Error(`${method} ${path} can't be reached: ${method} ${other.path} has its requests`);
    const route = { path, handle, parameters };
    node.routes.set(method, route);
    if (parameters.length === 0) this.fixed.set(path, node);
    if (method === 'GET' && !Reflect.hasMetadata(WITHOUT_HEAD, handle)) node.routes.set('HEAD', route);
  }

  /** The routes of a path by method; undefined for an unknown path. */
  at(path: string): ReadonlyMap<string, Route> | undefined {
    return (this.fixed.get(path) ?? find(this.root, segmentsOf(path), 0))?.routes;
  }

  /** Every route by its method and template, as in `GET /agents/:agent_id`; for comparisons with other lists of routes. */
  list(node = this.root): string[] {
    const below = [...node.fixed.values(), ...(node.parameter ? [node.parameter] : [])];
    return [
      ...[...node.routes].map(([method, { path }]) => `${method} ${path}`),
      ...below.flatMap((next) => this.list(next)),
    ];
  }
}

/** @throws BadRequestException when a parameter is not percent-encoded correctly */
export function parametersOf({ parameters }: Route, path: string): Readonly<Record<string, string>> {
  if (parameters.length === 0) return NO_PARAMETERS;
  const segments = segmentsOf(path);
  const values: Record<string, string> = {};
  for (const { name, at } of parameters) values[name] = decoded(segments[at]!);
  return values;
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new BadRequestException('Malformed path');
  }
}

function emptyNode(): Node {
  return { fixed: new Map(), routes: new Map() };
}

function childOf({ fixed }: Node, segment: string): Node {
  const child = fixed.get(segment) ?? emptyNode();
  fixed.set(segment, child);
  return child;
}

function find(node: Node, segments: readonly string[], at: number): Node | undefined {
  if (at === segments.length) return node.routes.size > 0 ? node : undefined;
  const segment = segments[at]!;
  const fixed = node.fixed.get(segment.toLowerCase());
  const found = fixed && find(fixed, segments, at + 1);
  if (found) return found;
  return segment !== '' && node.parameter ? find(node.parameter, segments, at + 1) : undefined;
}

/** Segments of a path, after its first slash. One slash at the end is ignored; a second one is not. */
function segmentsOf(path: string): string[] {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  return path.slice(1, end).split('/');
}
