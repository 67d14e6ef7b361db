import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { WITHOUT_HEAD } from './no-head.js';
import { DOCUMENTATION_PATHS } from './openapi/documentation.js';

interface Route {
  /** Segments in lower case, as Express compares them; undefined for a parameter. */
  readonly segments: readonly (string | undefined)[];
  readonly methods: Set<string>;
}

/** The methods of each path, to distinguish an unknown path from a method that a path does not have. */
export class RouteMethods {
  /** Routes by their number of segments; those with the fewest parameters first, because fixed paths win. */
  private readonly routes = new Map<number, Route[]>();

  /** The routes of all controllers, and of the documentation's page. */
  static of(app: NestExpressApplication): RouteMethods {
    const table = new RouteMethods();
    for (const path of DOCUMENTATION_PATHS) table.add(path, ['GET', 'HEAD']);
    for (const { controllers } of app.get(ModulesContainer).values()) {
      for (const { metatype } of controllers.values()) {
        if (typeof metatype === 'function') table.addController(metatype);
      }
    }
    return table;
  }

  /** @param path of the request, with or without a slash at its end @returns undefined for an unknown path */
  at(path: string): ReadonlySet<string> | undefined {
    const segments = segmentsOf(path);
    return this.routes.get(segments.length)?.find((route) => leadsTo(route, segments))?.methods;
  }

  private addController(controller: { readonly prototype: object }): void {
    const { prototype } = controller;
    for (const name of new MetadataScanner().getAllMethodNames(prototype)) {
      const handler = (prototype as Record<string, object>)[name]!;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined) continue;
      // Express answers HEAD with the handler of GET.
      const withHead = method === RequestMethod.GET && !Reflect.hasMetadata(WITHOUT_HEAD, handler);
      const methods = [RequestMethod[method], ...(withHead ? ['HEAD'] : [])];
      for (const base of pathsOf(controller))
        for (const path of pathsOf(handler)) this.add(`/${base}/${path}`.replaceAll(/\/+/g, '/'), methods);
    }
  }

  private add(path: string, methods: readonly string[]): void {
    const segments = segmentsOf(path).map((segment) => (segment.startsWith(':') ? undefined : segment));
    const others = this.routes.get(segments.length) ?? [];
    const same = others.find((route) => route.segments.every((segment, at) => segment === segments[at]));
    for (const method of methods) same?.methods.add(method);
    if (same) return;
    const routes = [...others, { segments, methods: new Set(methods) }];
    routes.sort((one, other) => parametersOf(one) - parametersOf(other));
    this.routes.set(segments.length, routes);
  }
}

function pathsOf(decorated: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, decorated) as string | string[]].flat();
}

/** Segments of a path. One slash at the end is ignored, as by Express; a second one is not. */
function segmentsOf(path: string): string[] {
  return path.toLowerCase().replace(/^\//, '').replace(/\/$/, '').split('/');
}

function leadsTo({ segments }: Route, asked: readonly string[]): boolean {
  return segments.every((segment, at) => (segment === undefined ? asked[at] !== '' : segment === asked[at]));
}

function parametersOf({ segments }: Route): number {
  return segments.filter((segment) => segment === undefined).length;
}
