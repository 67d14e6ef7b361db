import type { ChildProcess } from 'node:child_process';
import { violation } from './violations.js';

/** Properties of requests and replies whose value is a secret. */
const SECRET_PROPERTIES =
  /^(api_key|key|secret|password|new_password|current_password|access_token|refresh_token|token|setup_token|recovery_codes?|otpauth_uri)$/;
/** Environment variables whose value is a secret. */
const SECRET_VARIABLES =
  /^(JWT_SECRET|SETUP_TOKEN|WEBHOOK_SECRET_KEY|OIDC_CLIENT_SECRET|SERVICE_(API|AGENT)_KEY|SERVICE_PASSWORD)/;
/** Secrets that a program may print once, to the person who has just created them. */
const SHOWN_ONCE = /^(svc_(user|agent)_|whsec_)/;
/** Minimum length of a secret: a shorter text may occur anywhere by chance. */
const SHORTEST = 8;

/** The only secret that a log contains on purpose, for the operator. */
const LOGGED_SETUP_TOKEN = /"setup_token":"[\w-]+"/g;

const made = new Set<string>();

/** Records the secrets of a request and its reply, of a file of credentials, or of a process's environment. */
export function collectSecrets(...bodies: readonly unknown[]): void {
  for (const body of bodies) collectFrom(body);
}

function collectFrom(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(collectFrom);
  if (value === null || typeof value !== 'object') return;
  for (const [name, inner] of Object.entries(value)) {
    const texts = isSecret(name) ? [inner].flat().filter((text) => typeof text === 'string') : [];
    for (const text of texts) if (text.length >= SHORTEST) made.add(text);
    collectFrom(inner);
  }
}

function isSecret(name: string): boolean {
  return SECRET_PROPERTIES.test(name) || SECRET_VARIABLES.test(name);
}

/** @returns the first characters of each recorded secret in an output */
export function secretsIn(output: string): string[] {
  return [...made].filter((secret) => output.includes(secret)).map((secret) => `${secret.slice(0, 12)}...`);
}

/** Checks an output at the end of a suite. @throws a violation that names the secrets */
export function expectNoSecretIn(name: string, output: string): void {
  const found = secretsIn(output);
  if (found.length > 0) throw violation(`Secrets are in ${name}: ${found.join(', ')}`);
}

/** As {@link expectNoSecretIn}, for a program that prints a new key or signing secret to its creator. */
export function expectNoLastingSecretIn(name: string, output: string): void {
  const found = secretsIn(output).filter((secret) => !SHOWN_ONCE.test(secret));
  if (found.length > 0) throw violation(`Secrets are in ${name}: ${found.join(', ')}`);
}

/** Collects the output of a process and, after its end, compares it with the secrets recorded until then. */
export function printedBy(name: string, child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  child.once('close', () => {
    try {
      expectNoSecretIn(name, output.replaceAll(LOGGED_SETUP_TOKEN, ''));
    } catch {
      // The error can't be caught here. It is reported with the violations of the suite.
    }
  });
  return () => output;
}
