import { UsageError } from '../../failures.js';
import { readYaml } from '../../../yaml/yaml-value.js';

/** The state of an agent in the file; absent properties stay unchanged. */
export interface WantedAgent {
  readonly name: string;
  readonly description?: string;
  readonly type?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly config?: unknown;
  /** Number of replicas of its deployment; absent: it is not deployed. */
  readonly replicas?: number;
}

type Reader = (value: unknown, place: string) => unknown;

const text: Reader = (value, place) => {
  if (typeof value === 'string' && value !== '') return value;
  throw new UsageError(`${place} must be text`);
};

const READERS: Readonly<Record<keyof WantedAgent, Reader>> = {
  name: text,
  description: text,
  type: text,
  labels(value, place) {
    const labels = recordOf(value, place);
    for (const [key, label] of Object.entries(labels)) {
      if (typeof label !== 'string') throw new UsageError(`${place}.${key} must be text: write it in quotes`);
    }
    return labels;
  },
  config: recordOf,
  replicas(value, place) {
    if (Number.isSafeInteger(value) && (value as number) >= 0) return value;
    throw new UsageError(`${place} must be a whole number from 0 on`);
  },
};

/**
 * Parses the file of `svc apply`: `agents`, a list of agents with unique names.
 *
 * @throws UsageError that names the position
 */
export function readManifest(yaml: string): WantedAgent[] {
  const { agents, ...others } = recordOf(readYaml(yaml), 'The file');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`The file has "${unknown}": it may have agents only`);
  if (!Array.isArray(agents)) throw new UsageError('agents must be a list');
  const wanted = agents.map((agent, index) => wantedOf(agent, `agents[${index}]`));
  const names = wanted.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`Two agents of the file are called "${twice}"`);
  return wanted;
}

function wantedOf(value: unknown, place: string): WantedAgent {
  const agent = recordOf(value, place);
  const unknown = Object.keys(agent).find((key) => !Object.hasOwn(READERS, key));
  if (unknown !== undefined)
    throw new UsageError(`${place} has no "${unknown}": there are ${Object.keys(READERS).join(', ')}`);
  if (agent.name === undefined) throw new UsageError(`${place} has no name`);
  const read = Object.entries(agent).map(([key, it]): [string, unknown] => [
    key,
    READERS[key as keyof WantedAgent](it, `${place}.${key}`),
  ]);
  return Object.fromEntries(read) as unknown as WantedAgent;
}

function recordOf(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new UsageError(`${place} must be an object with names and values`);
}
