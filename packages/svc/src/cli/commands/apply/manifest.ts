import { UsageError } from '../../failures.js';
import { loadMarked, numbersAsWritten } from './written-numbers.js';

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

/** As many as the service takes in one body. */
const MAXIMUM_VALUES = 200_000;

/**
 * Parses the file of `svc apply`: `agents`, a list of agents with unique names.
 *
 * @throws UsageError that names the position
 */
export function readManifest(yaml: string): WantedAgent[] {
  const { agents, ...others } = recordOf(parsed(yaml), 'The file');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`The file has "${unknown}": it may have agents only`);
  if (!Array.isArray(agents)) throw new UsageError('agents must be a list');
  const wanted = agents.map((agent, index) => wantedOf(agent, `agents[${index}]`));
  const names = wanted.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`Two agents of the file are called "${twice}"`);
  return wanted;
}

function parsed(yaml: string): unknown {
  let value: unknown;
  try {
    value = loadMarked(yaml);
  } catch (error) {
    throw new UsageError(`The file must be YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  assertWritable(value);
  return numbersAsWritten(value);
}

/**
 * Refuses a file whose aliases write out to more than can be sent: nine lines of YAML stand for a billion values, or, where an
 * alias is in what it names, for endlessly many.
 *
 * @throws UsageError
 */
function assertWritable(root: unknown): void {
  const left: unknown[] = [root];
  for (let count = 0; left.length > 0; count++) {
    if (count > MAXIMUM_VALUES)
      throw new UsageError(
        `The file has more than ${MAXIMUM_VALUES} values when its aliases are written out`,
      );
    const value = left.pop();
    // not spread into push: a list may be longer than arguments can be
    if (typeof value === 'object' && value !== null) for (const it of Object.values(value)) left.push(it);
  }
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
  throw new UsageError(`${place} must be an object of names and values`);
}
