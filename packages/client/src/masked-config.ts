import { indentedJson, parseKept, writeKept } from './kept-numbers.js';

const MASK = '***';
/** Masks of a variable's later value: it differs from the earlier one, or may, because the service does not show that. */
const CHANGED_MASK = '*** (changed)';
const UNKNOWN_MASK = '*** (may have changed)';
/** A value of `env` that the service does not show; sent back, it keeps the value. */
const NOT_SHOWN = '{"secret":true}';

interface WithEnv {
  readonly env: Readonly<Record<string, unknown>>;
}

/**
 * Masks two configs, so that a variable whose value has changed still differs.
 *
 * @param before as the service shows it
 * @param after as a person wrote it: it may hold secrets
 */
export function maskedConfigs(before: string, after: string): [before: string, after: string] {
  const earlier = withEnv(before);
  const later = withEnv(after);
  const mask = (value: unknown, name: string) => {
    if (!earlier || !Object.hasOwn(earlier.env, name)) return MASK;
    const [then, now] = [JSON.stringify(earlier.env[name]), JSON.stringify(value)];
    if (then === now) return MASK;
    return then === NOT_SHOWN ? UNKNOWN_MASK : CHANGED_MASK;
  };
  return [
    earlier ? writeKept({ ...earlier, env: mapValues(earlier.env, () => MASK) }) : before,
    later ? writeKept({ ...later, env: mapValues(later.env, mask) }) : after,
  ];
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

function mapValues(
  env: WithEnv['env'],
  map: (value: unknown, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, map(value, name)]));
}

function withEnv(config: string): WithEnv | undefined {
  const parsed = parseKept(config);
  return isRecord(parsed) && isRecord(parsed.env) ? { ...parsed, env: parsed.env } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
