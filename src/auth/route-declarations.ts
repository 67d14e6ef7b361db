import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { ROUTE_ACCESS, type RouteAccess } from '../access/route-access.js';

/**
 * Ends the start of the application if a route does not declare its callers, or a user route declares neither the scope
 * that a user API key and a role in a project need, nor that it is about the caller's account or for operators.
 */
@Injectable()
export class RouteDeclarations implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws an error with every route whose declaration is missing or incomplete */
  onModuleInit(): void {
    const faults = this.discovery.getControllers().flatMap(({ metatype }) => {
      if (!metatype) return [];
      const prototype = metatype.prototype as Record<string, () => unknown>;
      return this.routesOf(prototype).flatMap((name) => {
        const fault = faultOf(prototype[name]!, metatype);
        return fault ? [`${metatype.name}.${name} ${fault}`] : [];
      });
    });
    if (faults.length > 0) throw new Error(`Routes with invalid guards: ${faults.join('; ')}`);
  }

  private routesOf(prototype: Record<string, () => unknown>): string[] {
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((name) => Reflect.hasMetadata(PATH_METADATA, prototype[name]!));
  }
}

/** @returns undefined if the declaration is complete */
function faultOf(handler: object, controller: object): string | undefined {
  const access = (Reflect.getMetadata(ROUTE_ACCESS, handler) ??
    Reflect.getMetadata(ROUTE_ACCESS, controller)) as RouteAccess | undefined;
  if (!access) return 'does not declare who may call it';
  if (access.callers !== 'user') return undefined;
  const { scope, tokenOnly, operator, personal, gateway } = access;
  if (scope && personal) return 'is personal, but declares a scope';
  if (scope && gateway) return 'is a gateway, whose calls check their own scopes, but declares a scope';
  // An API key has nothing but scopes, and a role in a project grants nothing but scopes.
  if (!scope && !gateway && !(tokenOnly && (operator || personal)))
    return 'does not declare the scope that a user API key and a role in a project need';
  const isRead = Reflect.getMetadata(METHOD_METADATA, handler) === RequestMethod.GET;
  // A scope declared for the whole controller would allow read-only keys to call a new route that changes something.
  if (scope === 'read' && !isRead) return 'changes data, but declares the scope `read`';
  return undefined;
}
