import fc from 'fast-check';
import type { ApiDescription, Schema } from '../harness/openapi.js';

/** Created once: fast-check lists all code points for each such string, which takes a third of a second. */
export const binaryText = fc.string({ unit: 'binary', maxLength: 300 });

/** Text that is difficult for parsers, databases and regular expressions. */
const oddText = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '\0',
      '\ud800',
      '\udc00x',
      '\ufeff',
      '\u2028',
      '\u202e',
      'İ',
      'ß',
      '\ufdfa',
      '👩‍👩‍👧',
      '%00',
      '%ff',
      '../..',
    ],
    ...[
      'null',
      'true',
      '0',
      '-1',
      '1.5',
      '1e400',
      'NaN',
      '0x10',
      '2147483648',
      '9007199254740993',
      '٣',
      "' OR 1=1 --",
    ],
    ...[
      '__proto__',
      'constructor',
      '{}',
      '[]',
      '${7*7}',
      '<b>',
      '\r\nX-Injected: 1',
      '9999-12-31T23:59:59Z',
      '0001-01-01',
    ],
    ...[
      '-000001-01-01T00:00:00Z',
      '+275760-09-13T00:00:00Z',
      '2026-02-30',
      '2026-01-31T09:30:00+99:99',
      'a@b',
      'a@b.example',
    ],
  ),
  binaryText,
  fc.integer({ min: 200, max: 70_000 }).map((length) => 'x'.repeat(length)),
);

const oddNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

/** Objects with many keys, arrays with many distinct elements, whose comparison takes quadratic time. */
const wide = fc.tuple(fc.integer({ min: 100, max: 30_000 }), fc.boolean()).map(([size, isObject]) => {
  const names = Array.from({ length: size }, (_, at) => `k${at}`);
  return isObject ? Object.fromEntries(names.map((name) => [name, 1])) : names;
});

const deep = fc.integer({ min: 50, max: 400 }).map((depth) => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
});

/** Made once, as {@link binaryText}. */
const anyText = fc.string({ unit: 'grapheme', maxLength: 40 });

const OWN_IDS = new Set(['agent_id', 'deployment_id']);

/** Any JSON value, most of them of the wrong type. */
export const oddValue = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(oddText, oddNumber, fc.boolean(), fc.constant(null)) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.oneof(wide, deep) },
);

/** For a query, a header or a path, before it is encoded. */
export const oddParameter = fc.oneof(
  oddText.map((text) => text.slice(0, 2_000)),
  oddNumber.map(String),
);

/** A value for a schema: usually an allowed one, sometimes an odd one. */
export function valueOf(api: ApiDescription, given: Schema): fc.Arbitrary<unknown> {
  const schema = api.resolve(given);
  return fc.oneof({ weight: 12, arbitrary: allowedValue(api, schema) }, { weight: 1, arbitrary: oddValue });
}

/** Values of a property; an id is usually that of the caller's resource. */
function propertyOf(api: ApiDescription, name: string, schema: Schema): fc.Arbitrary<unknown> {
  const usual = valueOf(api, schema);
  if (!OWN_IDS.has(name)) return usual;
  return fc.oneof({ weight: 4, arbitrary: fc.constant(`{${name}}`) }, { weight: 1, arbitrary: usual });
}

function allowedValue(api: ApiDescription, schema: Schema): fc.Arbitrary<unknown> {
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return fc.oneof(...variants.map((variant) => allowedValue(api, api.resolve(variant))));
  if (schema.allOf) return allowedValue(api, api.resolve(schema.allOf[0]!));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return objectOf(api, schema);
    case 'array':
      return fc.array(valueOf(api, schema.items ?? {}), { maxLength: 5 });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6, noNaN: true });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.oneof(fc.constant(api.example(schema)), anyText);
  }
}

function objectOf(api: ApiDescription, { properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, propertyOf(api, name, property)]),
  );
  const declared = fc.record(known, { requiredKeys: required.filter((name) => name in known) });
  const more = fc.dictionary(fc.oneof(oddText, fc.constantFrom(...required, 'x')), oddValue, { maxKeys: 3 });
  return fc.oneof(
    { weight: 9, arbitrary: declared },
    { weight: 1, arbitrary: fc.tuple(declared, more).map(([one, other]) => ({ ...one, ...other })) },
    { weight: 1, arbitrary: oddValue },
  );
}
