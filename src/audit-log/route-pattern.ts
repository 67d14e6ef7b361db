import type { Request } from 'express';

/** The pattern of the path, because the path itself may contain the caller's input; null before a route was found. */
export function routeOf({ route }: Request): string | null {
  return (route as { path?: string } | undefined)?.path ?? null;
}
