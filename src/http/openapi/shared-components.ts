import type { Components, Operation } from './operation.js';

type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;
type Response = Extract<NonNullable<Operation['responses']['200']>, { description: string }>;

/**
 * Parts of operations that are equal except for their descriptions, written once if enough operations have them. An
 * operation with a more exact description keeps it beside the reference, where it overrides the component's (OpenAPI
 * 3.1).
 */
class Shared<Item extends { description?: string }> {
  readonly components: Record<string, Item> = {};
  private readonly counts = new Map<string, number>();

  constructor(
    private readonly section: 'parameters' | 'responses',
    /** Minimum number of operations with the same part. */
    private readonly minimum: number,
    private readonly nameOf: (item: Item) => string,
    all: readonly Item[],
  ) {
    for (const item of all) this.counts.set(identityOf(item), (this.counts.get(identityOf(item)) ?? 0) + 1);
  }

  /** @throws Error if two components would have the same name */
  refer(item: Item): Item | { $ref: string; description?: string } {
    if (this.counts.get(identityOf(item))! < this.minimum) return item;
    const name = this.nameOf(item);
    const component = (this.components[name] ??= item);
    if (identityOf(component) !== identityOf(item)) throw new Error(`Two ${this.section} are called ${name}`);
    const { description } = item;
    const own = description === undefined || description === component.description ? {} : { description };
    return { $ref: `#/components/${this.section}/${name}`, ...own };
  }
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

/** Moves common successes to components; errors are references from the beginning. @returns the components */
export function shareResponses(operations: readonly Operation[]): NonNullable<Components['responses']> {
  const successesOf = ({ responses }: Operation) =>
    Object.entries(responses).filter(
      (entry): entry is [string, Response] => /^2/.test(entry[0]) && !isStream(entry[1] as Response),
    );
  const all = operations.flatMap(successesOf).map(([, response]) => response);
  const shared = new Shared('responses', 2, responseName, all);
  for (const operation of operations) {
    for (const [status, response] of successesOf(operation))
      operation.responses[status] = shared.refer(response);
  }
  return shared.components;
}

/** A live stream keeps its response at its operation, because the response is not named after a model. */
function isStream({ content }: Response): boolean {
  return content?.['text/event-stream'] !== undefined;
}

/**
 * Name of a parameter's component: `include_total` becomes `IncludeTotal`; a header ends with `Header`, `agent_id` in a
 * query with `Query`, a limit with its maximum.
 */
function parameterName({ name, in: where, schema }: Parameter): string {
  const words = name.split(/[-_]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  const place = where === 'header' ? 'Header' : where === 'query' && name === 'agent_id' ? 'Query' : '';
  const maximum = name === 'limit' && schema && 'maximum' in schema ? `To${schema.maximum}` : '';
  return `${words.join('')}${place}${maximum}`;
}

/** Name of a response's component: `DeploymentResponse`, or `LogRecords` for a list. */
function responseName({ content }: Response): string {
  const schema = content?.['application/json']?.schema as
    { $ref?: string; items?: { $ref: string } } | undefined;
  if (!schema) return 'NoContent';
  const model = (schema.$ref ?? schema.items?.$ref ?? '').replace(/^.*\//, '');
  return schema.items ? `${model}s` : model;
}
