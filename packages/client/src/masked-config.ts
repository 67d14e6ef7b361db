import { indentedJson, parseKept, writeKept } from './kept-numbers.js';

const MASK = '***';
/** Mask of a variable's later value if it differs from the earlier one. */
const CHANGED_MASK = '*** (changed)';

interface WithEnv {
  readonly env: Readonly<Record<string, unknown>>;
}

/** A config, as JSON text, with `***` for each value of `env`. Other texts stay unchanged. */
export function maskedConfig(config: string): string {
  const parsed = withEnv(config);
  return parsed ? writeKept({ ...parsed, env: mapValues(parsed.env, () => MASK) }) : config;
}

/** Masks two versions of a config, so that a variable whose value has changed still differs. */
export function maskedConfigs(before: string, after: string): [before: string, after: string] {
  const earlier = withEnv(before)?.env ?? {};
  const later = withEnv(after);
  if (!later) return [maskedConfig(before), after];
  const env = mapValues(later.env, (value, name) =>
    !Object.hasOwn(earlier, name) || earlier[name] === value ? MASK : CHANGED_MASK,
  );
  return [maskedConfig(before), writeKept({ ...later, env })];
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
