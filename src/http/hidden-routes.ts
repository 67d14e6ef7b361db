import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express } from 'express';

/** As much of a layer of Express's router as is read here. */
interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/**
 * The application does not start with a route that never gets a request, because one that was registered before it
 * answers them all: `/agents/{agent_id}` before `/agents/commands`. Modules register theirs in the order of the imports.
 */
@Injectable()
export class HiddenRoutes implements OnApplicationBootstrap {
  constructor(private readonly host: HttpAdapterHost) {}

  /** @throws Error that names each hidden route and the one before it */
  onApplicationBootstrap(): void {
    const router = this.host.httpAdapter.getInstance<Express>().router as unknown as { stack: Layer[] };
    const routes = router.stack.filter(({ route }) => route);
    const faults = routes.flatMap((later, index) => {
      const earlier = routes.slice(0, index).find((before) => hides(before, later));
      return earlier ? [`${nameOf(later)} comes after ${nameOf(earlier)}`] : [];
    });
    if (faults.length > 0)
      throw new Error(
        `Not every route can be reached: ${faults.join('; ')}. Change the order of the imports.`,
      );
  }
}

/** Returns true if the earlier route answers every request of the later one, by a parameter of its path. */
function hides(earlier: Layer, later: Layer): boolean {
  if (!earlier.route!.path.includes(':')) return false;
  const methods = Object.keys(later.route!.methods);
  // A name of a parameter (`:id`) stands for any value of it: fixed segments are other words.
  return methods.every((method) => earlier.route!.methods[method]) && earlier.match(later.route!.path);
}

function nameOf({ route }: Layer): string {
  return `${Object.keys(route!.methods).join(', ').toUpperCase()} ${route!.path}`;
}
