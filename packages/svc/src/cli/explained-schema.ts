import { PROCESS_CONFIG_SCHEMA } from '../runner/processes/process-config-schema.js';

/** The part of JSON Schema that the API's document has. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly not?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

export interface ExplainedField {
  readonly name: string;
  readonly type: string;
  /** Bounds, choices and default: `1 to 200 characters`. */
  readonly bounds: readonly string[];
  readonly description: string;
}

export interface Explanation extends ExplainedField {
  /** The requests that give the field. */
  readonly given_in: readonly string[];
  readonly fields: readonly ExplainedField[];
}

/** A resource or a field, in a reply or in a request. */
interface Place {
  readonly owner: string;
  readonly schema: Schema;
}

/** Pairs of bounds, and their unit. */
const BOUNDS = [
  ['minLength', 'maxLength', ' characters'],
  ['minimum', 'maximum', ''],
  ['minItems', 'maxItems', ' entries'],
  ['minProperties', 'maxProperties', ' entries'],
] as const;

/** The words that can be explained. A resource has an id. */
export function explainedNames(schemas: Schemas): string[] {
  const resources = Object.keys(schemas).filter((key) => {
    const isReply = key.endsWith('Response') && !key.endsWith('DetailResponse');
    return isReply && alternatives(schemas[key]!, schemas).some(({ properties }) => properties?.id);
  });
  const words = resources.map((key) =>
    key.replace(/Response$/, '').replace(/(?<=.)[A-Z]/g, (letter) => `-${letter}`),
  );
  return [...words.map((word) => word.toLowerCase()), 'config'].sort();
}

/**
 * Explains a resource, a field of one (`agent.name`), or a schema of the document by its name.
 *
 * @returns undefined if there is none
 */
export function explain(path: string, schemas: Schemas): Explanation | undefined {
  const [name, ...fields] = path.split('.');
  let places = placesOf(name!, schemas);
  for (const field of fields) places = places.flatMap((place) => childrenOf(place, field, schemas));
  if (places.length === 0) return undefined;
  const names = new Set(places.flatMap(({ schema }) => Object.keys(propertiesOf(schema, schemas))));
  return {
    ...explained(path, places, schemas),
    given_in: fields.length === 0 ? [] : places.map(({ owner }) => owner).filter(isRequest),
    fields: [...names].map((it) =>
      explained(
        it,
        places.flatMap((place) => childrenOf(place, it, schemas)),
        schemas,
      ),
    ),
  };
}

/** The reply that shows a resource, and the requests that make and change it. */
function placesOf(name: string, schemas: Schemas): Place[] {
  const word = name.toLowerCase().replaceAll(/[-_ ]/g, '');
  if (word === 'config') return [{ owner: 'config', schema: PROCESS_CONFIG_SCHEMA }];
  const keys = new Map(Object.keys(schemas).map((key) => [key.toLowerCase(), key]));
  const present = (names: readonly string[]) =>
    names.flatMap((it) => keys.get(it) ?? []).map((owner) => ({ owner, schema: schemas[owner]! }));
  for (const singular of [word, word.replace(/s$/, '')]) {
    const shown = present([`${singular}detailresponse`, `${singular}response`, singular]).slice(0, 1);
    const places = [...shown, ...present([`create${singular}request`, `update${singular}request`])];
    if (places.length > 0) return places;
  }
  return [];
}

function childrenOf({ owner, schema }: Place, field: string, schemas: Schemas): Place[] {
  const properties = propertiesOf(schema, schemas);
  if (!Object.hasOwn(properties, field)) return [];
  const child = { owner, schema: properties[field]! };
  // to the service, a config is any JSON document
  return field === 'config' ? [child, ...placesOf('config', schemas)] : [child];
}

/** The properties of an object, and of the objects in a list. */
function propertiesOf(schema: Schema, schemas: Schemas): Record<string, Schema> {
  const all = alternatives(schema, schemas).map(({ properties, items }) => ({
    ...(items && propertiesOf(items, schemas)),
    ...properties,
  }));
  return Object.assign({}, ...all) as Record<string, Schema>;
}

/** The forms that a value may have, without references. */
function alternatives(schema: Schema, schemas: Schemas): Schema[] {
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
  if ($ref !== undefined) {
    const named = schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {};
    return alternatives(named, schemas).map((it) => merged(it, rest));
  }
  if (allOf)
    return [allOf.flatMap((part) => alternatives(part, schemas)).reduce((a, b) => merged(a, b), rest)];
  const choices = (anyOf ?? oneOf)?.filter((it) => it.type !== undefined || it.$ref !== undefined) ?? [];
  if (choices.length === 0) return [rest];
  return choices.flatMap((choice) => alternatives(choice, schemas)).map((it) => merged(it, rest));
}

function merged(one: Schema, other: Schema): Schema {
  const properties = { ...one.properties, ...other.properties };
  return { ...one, ...other, ...(Object.keys(properties).length > 0 && { properties }) };
}

function explained(name: string, places: readonly Place[], schemas: Schemas): ExplainedField {
  const forms = places.map(({ schema }) => alternatives(schema, schemas));
  // a request has the bounds
  const given = places.findIndex(({ owner }) => isRequest(owner));
  const shown = forms[Math.max(given, 0)]!;
  const descriptions = forms.flat().flatMap(({ description }) => description ?? []);
  return {
    name,
    type: unique(shown.map((it) => typeOf(it, schemas))).join(' or '),
    bounds: unique(shown.flatMap(boundsOf)),
    description: withoutRepetition(descriptions).join('\n'),
  };
}

function typeOf({ type, format, items }: Schema, schemas: Schemas): string {
  const types = [type ?? 'any'].flat().map((it) => {
    if (it !== 'array' || !items) return it;
    return `list of ${unique(alternatives(items, schemas).map((item) => typeOf(item, schemas))).join(' or ')}`;
  });
  return `${types.join(' or ')}${format === undefined ? '' : ` (${format})`}`;
}

function boundsOf(schema: Schema): string[] {
  const ranges = BOUNDS.flatMap(([least, most, unit]) => {
    const [from, to] = [schema[least], schema[most]];
    if (from !== undefined && to !== undefined) return [`${from} to ${to}${unit}`];
    if (to !== undefined) return [`at most ${to}${unit}`];
    return from === undefined ? [] : [`at least ${from}${unit}`];
  });
  return [
    ...ranges,
    ...(schema.enum ? [`one of ${schema.enum.filter((it) => it !== null).join(', ')}`] : []),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

function isRequest(owner: string): boolean {
  return owner.endsWith('Request');
}

/** Texts without the sentences that an earlier one of them has: a request often begins with those of its reply. */
function withoutRepetition(texts: readonly string[]): string[] {
  const said = new Set<string>();
  return texts.flatMap((text) => {
    const sentences = text.split(/(?<=[.!?])\s+/).filter((it) => !said.has(it));
    for (const sentence of sentences) said.add(sentence);
    return sentences.length > 0 ? [sentences.join(' ')] : [];
  });
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
