import type { Components, Operation } from '../http/openapi/operation.js';

type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;

/**
 * Parts of operations that are equal except for their descriptions, written once if enough operations have them. An
 * operation with a more exact description keeps it next to the reference, where it overrides the component's (OpenAPI
 * 3.1).
 */
class Shared<Item extends { description?: string }> {
  readonly components: Record<string, Item> = {};
  /** The operations' parts, by their identity. */
  private readonly alike: ReadonlyMap<string, readonly Item[]>;

  constructor(
    private readonly section: 'parameters' | 'responses',
    /** Minimum number of operations with the same part. */
    private readonly minimum: number,
    private readonly nameOf: (item: Item) => string,
    all: readonly Item[],
  ) {
    this.alike = Map.groupBy(all, identityOf);
  }

  /** @throws Error if two components would have the same name */
  refer(item: Item): Item | { $ref: string; description?: string } {
    const alike = this.alike.get(identityOf(item))!;
    if (alike.length < this.minimum) return item;
    const name = this.nameOf(item);
    const component = (this.components[name] ??= mostFrequent(alike));
    if (identityOf(component) !== identityOf(item)) throw new Error(`Two ${this.section} are called ${name}`);
    const { description } = item;
    const own = description === undefined || description === component.description ? {} : { description };
    return { $ref: `#/components/${this.section}/${name}`, ...own };
  }
}

/** The item with the description that most have: generated clients show it everywhere. */
function mostFrequent<Item extends { description?: string }>(items: readonly Item[]): Item {
  const byDescription = [...Map.groupBy(items, ({ description }) => description).values()];
  return byDescription.reduce((most, some) => (some.length > most.length ? some : most))[0]!;
}

function identityOf(item: { description?: string }): string {
  return JSON.stringify({ ...item, description: undefined });
}

/**
 * Moves common parameters to components, because Nest writes every parameter out at every operation. @returns the
 * components
 */
export function shareParameters(operations: readonly Operation[]): NonNullable<Components['parameters']> {
  // that a parameter is not required is the default
  const parametersOf = ({ parameters = [] }: Operation) =>
    (parameters as Parameter[]).map(({ required, ...rest }) => (required ? { ...rest, required } : rest));
  const shared = new Shared('parameters', 3, parameterName, operations.flatMap(parametersOf));
  for (const operation of operations) {
    operation.parameters = parametersOf(operation).map((parameter) => shared.refer(parameter));
    if (operation.parameters.length === 0) delete operation.parameters;
  }
  return shared.components;
}

/** Ids that are in the paths of some operations, and in the queries of others. */
const IDS_OF_BOTH = new Set(['agent_id', 'deployment_id', 'project_id']);

/**
 * Name of a parameter's component: `include_total` becomes `IncludeTotal`; a header ends with `Header`, an id of
 * paths and queries with `Query` in the latter, a limit with its maximum.
 */
function parameterName({ name, in: where, schema }: Parameter): string {
  const words = name.split(/[-_]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  const place = where === 'header' ? 'Header' : where === 'query' && IDS_OF_BOTH.has(name) ? 'Query' : '';
  const maximum = name === 'limit' && schema && 'maximum' in schema ? `To${schema.maximum}` : '';
  return `${words.join('')}${place}${maximum}`;
}
