import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ROUTE_ACCESS } from '../access/route-access.js';

/** The application does not start with a route that does not say who may call it. */
@Injectable()
export class RouteDeclarations implements OnModuleInit {
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

  private undeclaredMethods(prototype: object): string[] {
    return this.scanner.getAllMethodNames(prototype).filter((name) => {
      const method = (prototype as Record<string, () => unknown>)[name] as () => unknown;
      return Reflect.hasMetadata(PATH_METADATA, method) && !Reflect.hasMetadata(ROUTE_ACCESS, method);
    });
  }
}
