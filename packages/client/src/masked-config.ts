import { indentedJson, parseKept, writeKept } from './kept-numbers.js';

const MASK = '***';
/** Masks of a variable's later value: it differs from the earlier one, or may, because the service does not show that. */
const CHANGED_MASK = '*** (changed)';
const UNKNOWN_MASK = '*** (may have changed)';
/** A value of `env` that the service does not show; sent back, it keeps the value. */
const NOT_SHOWN = '{"secret":true}';

/** Names and values of variables that are secret. They are those of the service (src/agents/config-secrets.ts), so that a diff masks what the service masks. */
const SECRET_NAME =
  /pass|.pwd|secret|token|key|credential|auth|cookie|private|jwt|bearer|signature|salt|dsn|webhook|connection_?string/i;
const SECRET_VALUE = /:\/\/[^/\s@:]*:[^/\s@]+@|-----BEGIN [A-Z ]*PRIVATE KEY/;

interface WithEnv {
  readonly env: Readonly<Record<string, unknown>>;
}

/**
 * Masks the secrets of two configs, so that a variable whose value has changed still differs.
 *
 * @param before as the service shows it
 * @param after as a person wrote it: it may hold secrets
 */
export function maskedConfigs(before: string, after: string): [before: string, after: string] {
  const earlier = withEnv(before);
  const later = withEnv(after);
  const mask = (value: unknown, name: string) => {
    const isKnown = earlier !== undefined && Object.hasOwn(earlier.env, name);
    const then = isKnown ? JSON.stringify(earlier.env[name]) : undefined;
    if (then !== NOT_SHOWN && !isSecret(value, name)) return value;
    if (then === undefined || then === JSON.stringify(value)) return MASK;
    return then === NOT_SHOWN ? UNKNOWN_MASK : CHANGED_MASK;
  };
  const maskEarlier = (value: unknown, name: string) => (isSecret(value, name) ? MASK : value);
  return [
    earlier ? writeKept({ ...earlier, env: mapValues(earlier.env, maskEarlier) }) : before,
    later ? writeKept({ ...later, env: mapValues(later.env, mask) }) : after,
  ];
}

/** An object in the place of a value is write-only, or a mask. */
function isSecret(value: unknown, name: string): boolean {
  if (SECRET_NAME.test(name) || isRecord(value)) return true;
  return typeof value === 'string' && SECRET_VALUE.test(value);
}

/** Returns true if the service has masked a value of the config. */
export function hasMaskedValues(config: string): boolean {
  return Object.values(withEnv(config)?.env ?? {}).some((value) => JSON.stringify(value) === NOT_SHOWN);
}

/** Returns true if the service shows a sentence in the place of a config, as to operators who are no members of its project. */
export function isNotShown(config: string): boolean {
  return config.startsWith('"This config is not shown');
}

/** A config with each value on its own line, so that lines can be compared. */
export function indentedConfig(config: string): string {
  return `${indentedJson(config)}\n`;
}

function mapValues(env: WithEnv['env'], map: (value: unknown, name: string) => unknown): WithEnv['env'] {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, map(value, name)]));
}

function withEnv(config: string): WithEnv | undefined {
  const parsed = parseKept(config);
  return isRecord(parsed) && isRecord(parsed.env) ? { ...parsed, env: parsed.env } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
