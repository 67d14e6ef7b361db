import type { ExecutionContext } from '@nestjs/common';

/**
 * Caches a fact that a route's decorators declare. It never changes, and reflection at each request would cost more
 * than many handlers.
 *
 * @param read called once for each handler
 */
export function routeFact<Fact>(
  read: (context: ExecutionContext) => Fact,
): (context: ExecutionContext) => Fact {
  const known = new WeakMap<object, { readonly fact: Fact }>();
  return (context) => {
    const handler = context.getHandler();
    let remembered = known.get(handler);
    if (!remembered) {
      remembered = { fact: read(context) };
      known.set(handler, remembered);
    }
    return remembered.fact;
  };
}
