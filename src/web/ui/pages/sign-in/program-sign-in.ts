/** A sign-in that a program on the person's computer has begun. */
export interface ProgramSignIn {
  readonly port: number;
  /** The program shows the same one: a sign-in that another person has begun has another. */
  readonly code: string;
  /** The address at which the program waits. */
  readonly address: string;
}

/** The `state` of such a sign-in: the program's port, and a secret. */
const STATE = /^(\d{4,5})\.([\w-]+)$/;
const LOWEST_PORT = 1_024;
const HIGHEST_PORT = 65_535;
const CODE_LENGTH = 8;

/** @param search the query with which the provider has sent the browser back @returns null: the dashboard has begun it */
export function programSignIn(search: string): ProgramSignIn | null {
  const [, digits, secret = ''] = STATE.exec(new URLSearchParams(search).get('state') ?? '') ?? [];
  const port = Number(digits);
  if (!(port >= LOWEST_PORT && port <= HIGHEST_PORT)) return null;
  const code = secret
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, CODE_LENGTH)
    .toUpperCase();
  return { port, code, address: `http://127.0.0.1:${port}/callback${search}` };
}
