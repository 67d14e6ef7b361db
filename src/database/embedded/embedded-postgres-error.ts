/** The embedded PostgreSQL can't be used; the message says why and what to do about it. */
export class EmbeddedPostgresError extends Error {}

/** The end of every message where nothing on this machine would help. */
export const USE_ANOTHER_DATABASE =
  'set DATABASE_URL to a PostgreSQL 18 of your own (postgres://user:password@host:5432/name)';

/** `EACCES: permission denied, mkdir '/x'` -> `permission denied`. */
export function reasonOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  const text = typeof message === 'string' ? message : String(error);
  return /^[A-Z]+: ([^,]+)/.exec(text)?.[1] ?? text;
}

/** Returns true for one of the given system errors, or SQLSTATEs. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(String((error as { code?: unknown } | undefined)?.code));
}
