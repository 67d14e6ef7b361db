import { InvalidError } from '../errors/domain-error.js';
import { isRecord } from '../http/json-record.js';
import { parsedAsWritten } from '../http/lost-numbers.js';
import { MAXIMUM_CONFIG_BYTES } from './agent-defaults.js';
import type { ConfigView } from './agent.types.js';

/** Stands in a reply for a value that is not shown. In a request it keeps the stored value of the same variable. */
const MASK = { secret: true } as const;

/** Shown in the place of a config. All are JSON documents, as that is. */
const NOT_READ = JSON.stringify('This config is not shown: the key lacks the scope read');
const FOREIGN = JSON.stringify(
  'This config is not shown: it belongs to a project of which you are no member. Operators see it with ' +
    'reveal=true, which is recorded in the audit log',
);
const TOO_DEEP = JSON.stringify('This config is not shown: it is nested too deeply to mask its secrets');

/** A part of a variable's name that says that its value is secret. A name too many costs one act to reveal it. */
const SECRET_NAME =
  /pass|.pwd|secret|token|key|credential|auth|cookie|private|jwt|bearer|signature|salt|dsn|webhook|connection_?string/i;
/** A URL with a password, or a private key. */
const SECRET_VALUE = /:\/\/[^/\s@:]*:[^/\s@]+@|-----BEGIN [A-Z ]*PRIVATE KEY/;

/** The object that a value of `env` is where it is write-only, or where a request keeps the stored one. */
export interface SecretValue {
  readonly secret: string | true;
}

type Env = Readonly<Record<string, unknown>>;

/** How replies show a config, for their documentation. */
export const CONFIG_SHOWN =
  'A JSON document, as a string. `{"secret": true}` in `env` is a hidden value: lists hide all values; other ' +
  'replies show those that do not look secret, if the caller may change the agent. For a key without the scope ' +
  '`read`, a sentence replaces the document.';
export const CONFIG_EXAMPLE = '{"command": ["node", "agent.js"], "env": {"API_TOKEN": {"secret": true}}}';

/**
 * A config as a reply shows it. A config without `env` stays unchanged, others are written on one line, so that no value
 * remains of an `env` that is written twice.
 *
 * @param config a JSON document, as text
 */
export function shownConfig(config: string, view: ConfigView): string {
  if (view === 'none') return NOT_READ;
  if (view === 'foreign') return FOREIGN;
  try {
    return withEnv(config, (env) =>
      mapped(env, (value, name) => (isShown(value, name, view) ? value : MASK)),
    );
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    throw error;
  }
}

/** A config as runtimes get it: with the values that are not shown to people. */
export function deliveredConfig(config: string): string {
  if (!mayHaveSecrets(config)) return config;
  const open = (value: unknown) => (isSecretValue(value) ? value.secret : value);
  return unlessTooDeep(() => withEnv(config, (env) => mapped(env, open)), config);
}

/**
 * A config to be stored: each `{"secret": true}` in its `env` becomes the stored value of that variable, as it is stored.
 * It is the newest version itself where that is the same document, so that a config that is sent back as it was shown
 * makes no new version.
 *
 * @param before the newest version; null for a new agent
 * @throws InvalidError for a variable that the newest version doesn't have, and for a config that gets too large or is
 * nested too deeply
 */
export function keepingSecrets(given: string, before: string | null): string {
  if ([NOT_READ, FOREIGN, TOO_DEEP].includes(given))
    throw InvalidError.of(
      'config',
      'not_allowed',
      'config is the text that replaces a config that is not shown: send the config itself',
    );
  const stored = before === null ? {} : storedEnvOf(before);
  const filled = rewritten(given, (env) => {
    const lacking = Object.keys(env).filter((name) => keeps(env[name]) && !Object.hasOwn(stored, name));
    if (lacking.length > 0) throw new InvalidError(lacking.map(nothingToKeep));
    return mapped(env, (value, name) => (keeps(value) ? stored[name] : value));
  });
  // a config that came back unchanged is no change, though it is spaced otherwise than it was
  // saved
  if (before !== null && isDocument(filled, before)) return before;
  if (!mayHaveSecrets(given)) return given;
  if (Buffer.byteLength(filled) <= MAXIMUM_CONFIG_BYTES) return filled;
  const message = `config must be at most ${MAXIMUM_CONFIG_BYTES} bytes, including the secrets that it keeps`;
  throw InvalidError.of('config', 'too_long', message);
}

/** Returns true for a value of `env` that is allowed only as an object: write-only, or kept. */
export function isSecretValue(value: unknown): value is SecretValue {
  if (!isRecord(value) || Object.keys(value).join() !== 'secret') return false;
  return typeof value.secret === 'string' || value.secret === true;
}

function keeps(value: unknown): boolean {
  return isSecretValue(value) && value.secret === true;
}

function nothingToKeep(name: string) {
  const field = `config.env.${name}`;
  const message = `${field} keeps a stored value, but the newest version of the config has no such variable: send the value`;
  return { field, code: 'not_allowed', message } as const;
}

function isShown(value: unknown, name: string, view: ConfigView): boolean {
  if (view === 'masked' || isSecretValue(value)) return false;
  if (view === 'revealed') return true;
  return !SECRET_NAME.test(name) && !(typeof value === 'string' && SECRET_VALUE.test(value));
}

/** Returns false for a text that surely holds no write-only and no kept value; names may be written with escapes. */
function mayHaveSecrets(config: string): boolean {
  return config.includes('"secret"') || config.includes('\\u');
}

/** The config with another `env`, on one line; a config without one stays unchanged. */
function withEnv(config: string, change: (env: Env) => Env): string {
  if (!config.includes('"env"') && !config.includes('\\u')) return config;
  const parsed = parsedAsWritten(config);
  if (!isRecord(parsed) || !isRecord(parsed.env)) return config;
  return JSON.stringify({ ...parsed, env: change(parsed.env) });
}

/** As {@link withEnv}. @throws InvalidError for a document too deep to be written again */
function rewritten(config: string, change: (env: Env) => Env): string {
  try {
    return withEnv(config, change);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw InvalidError.of('config', 'invalid_value', 'config must not be nested thousands of levels deep');
  }
}

/** Returns true if this is the stored document, on one line if it has `env`. */
function isDocument(filled: string, stored: string): boolean {
  return unlessTooDeep(() => filled === withEnv(stored, (env) => env), false);
}

function storedEnvOf(config: string): Env {
  const parsed = unlessTooDeep(() => parsedAsWritten(config), null);
  return isRecord(parsed) && isRecord(parsed.env) ? parsed.env : {};
}

/** Versions of before configs were refused for their depth are replaced like any other. */
function unlessTooDeep<Value>(compute: () => Value, otherwise: Value): Value {
  try {
    return compute();
  } catch (error) {
    if (error instanceof RangeError) return otherwise;
    throw error;
  }
}

function mapped(env: Env, map: (value: unknown, name: string) => unknown): Env {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, map(value, name)]));
}
