import { type CanActivate, type ExecutionContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ROUTE_ACCESS } from '../access/route-access.js';
import { ForbiddenError } from '../errors/domain-error.js';
import { declaredAccess } from './declared-access.js';

/** A route that does not say who may call it is refused; the application does not even start with one. */
@Injectable()
export class DeclaredAccessGuard implements CanActivate, OnModuleInit {
  constructor(
    private readonly reflector: Reflector,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws naming every route without a declaration */
  onModuleInit(): void {
    const undeclared = this.discovery.getControllers().flatMap(({ metatype }) => {
      if (!metatype || this.reflector.get<unknown>(ROUTE_ACCESS, metatype)) return [];
      return this.undeclaredMethods(metatype.prototype as object).map(
        (method) => `${metatype.name}.${method}`,
      );
    });
    if (undeclared.length > 0) {
      throw new Error(`These routes do not say who may call them: ${undeclared.join(', ')}`);
    }
  }

  canActivate(context: ExecutionContext): boolean {
    if (declaredAccess(this.reflector, context)) return true;
    throw new ForbiddenError('Nobody may call this route');
  }

  private undeclaredMethods(prototype: object): string[] {
    return this.scanner.getAllMethodNames(prototype).filter((name) => {
      const method = (prototype as Record<string, () => unknown>)[name] as () => unknown;
      return Reflect.hasMetadata(PATH_METADATA, method) && !Reflect.hasMetadata(ROUTE_ACCESS, method);
    });
  }
}
