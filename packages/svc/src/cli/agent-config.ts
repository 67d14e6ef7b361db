import { readText } from './config-text.js';
import type { Context } from './context.js';
import { UsageError } from './failures.js';

/**
 * A config as its agent gets it: `{"secret": "..."}` in `env` is the text.
 *
 * @param file `-` for standard input
 * @throws UsageError
 */
export async function readAgentConfig(file: string, { terminal }: Context): Promise<unknown> {
  const text = file === '-' ? await terminal.readInput() : await readText(file);
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    throw new UsageError(`${file} must be JSON: check quotes and commas`);
  }
  if (!isRecord(config))
    throw new UsageError(`${file} must be an object like {"command": ["node", "agent.js"]}`);
  if (!isRecord(config.env)) return config;
  const env = Object.entries(config.env).map(([name, value]) => [name, plainOf(name, value)]);
  return { ...config, env: Object.fromEntries(env) as unknown };
}

function plainOf(name: string, value: unknown): unknown {
  if (!isRecord(value) || Object.keys(value).join() !== 'secret') return value;
  if (typeof value.secret === 'string') return value.secret;
  throw new UsageError(`The value of ${JSON.stringify(name)} is masked in this config: write it out`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
