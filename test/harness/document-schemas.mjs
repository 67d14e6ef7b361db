import { readFileSync } from 'node:fs';
import { isDeepStrictEqual as isEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// Each worker loads this file once, because compiling the schemas takes a third of a second of processor time.

export const MAXIMUM_OF_32_BITS = 2 ** 31 - 1;

export const document = JSON.parse(readFileSync('openapi.json', 'utf8'));

const ajv = new Ajv2020({
  allErrors: true,
  allowUnionTypes: true,
  strictTypes: false,
  // the metaschema does not describe an OpenAPI document; an invalid schema in it fails when it is compiled
  validateSchema: false,
});
addFormats.default(ajv);
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
ajv.addFormat('uuid', /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
ajv.addVocabulary(['example', ...Object.keys(document)]);
ajv.addSchema(closed(document), 'openapi.json');

const validators = new Map();

/** @returns the violations of the schema at `pointer` in the document, one sentence each */
export function mismatches(pointer, value) {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi.json#${pointer}` });
  validators.set(pointer, validate);
  return validate(value) ? [] : validate.errors.map(sentence);
}

/** @returns the violations of a schema of the document, or of one that refers to it */
export function schemaProblems(schema, value) {
  const within = JSON.stringify(closed(schema)).replaceAll('"#/', '"openapi.json#/');
  const validate = ajv.compile(JSON.parse(within));
  return validate(value) ? [] : validate.errors.map(sentence);
}

/** Returns true if a value matches a schema without references. */
export function isOf(schema, value) {
  return ajv.validate(schema, value);
}

/** @returns the target of a reference, and its path */
export function resolved(item, pointers) {
  if (!item.$ref) return [item, pointers];
  const steps = item.$ref.split('/').slice(1);
  return [steps.reduce((place, step) => place[step], document), [pointerTo(...steps)]];
}

export function pointerTo(...steps) {
  return steps
    .map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

function sentence({ instancePath, message, params }) {
  const surplus = params.additionalProperty;
  return `body${instancePath} ${message}${surplus === undefined ? '' : ` (${surplus})`}`;
}

/**
 * A copy in which objects have no unlisted properties, and an open enumeration has only the present values: the
 * document allows more. A model that inherits is written out for that. An integer without a format has 32 bits, as in
 * clients that are generated for languages with types of numbers.
 */
function closed(value) {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  if (value.anyOf?.length === 2 && isEqual(value.anyOf[1], { type: 'string' })) return closed(value.anyOf[0]);
  const { allOf, ...rest } = value;
  const own = allOf ? { ...rest, ...writtenOut(allOf) } : rest;
  const copy = Object.fromEntries(Object.entries(own).map(([name, inner]) => [name, closed(inner)]));
  const isInteger = [own.type].flat().includes('integer');
  if (isInteger && own.format === undefined)
    return {
      ...copy,
      minimum: Math.max(own.minimum ?? -Infinity, -(2 ** 31)),
      maximum: Math.min(own.maximum ?? Infinity, MAXIMUM_OF_32_BITS),
    };
  const isObjectSchema = own.type === 'object' && typeof own.properties === 'object';
  return isObjectSchema ? { additionalProperties: false, ...copy } : copy;
}

/** Merges all parts of an `allOf` into one object schema. */
function writtenOut(allOf) {
  const parts = allOf.map((part) => {
    const [schema] = resolved(part, []);
    return schema.allOf ? writtenOut(schema.allOf) : schema;
  });
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}
