import { inheritModels } from './inherited-models.js';

const properties = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const EIGHT = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

describe('A model of the document', () => {
  it('inherits from a model whose properties it contains', () => {
    const base = { type: 'object', properties: properties(...EIGHT), required: ['a'] };
    const more = { type: 'object', properties: properties(...EIGHT, 'key'), required: ['a', 'key'] };
    const schemas = { Created: more, Base: base };
    inheritModels(schemas);
    expect(schemas).toEqual({
      Base: base,
      Created: {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          { type: 'object', properties: properties('key'), required: ['key'] },
        ],
      },
    });
  });

  it('does not inherit when a property differs, is not required, or when few are equal', () => {
    const base = { type: 'object', properties: properties(...EIGHT), required: ['a'] };
    const other = { ...properties(...EIGHT), h: { type: 'number' }, key: { type: 'string' } };
    const schemas = {
      Base: base,
      Differs: { type: 'object', properties: other, required: ['a'] },
      LessSure: { type: 'object', properties: properties(...EIGHT, 'key') },
      Small: { type: 'object', properties: properties('a') },
      Alike: { type: 'object', properties: properties('a', 'b') },
    };
    const before = structuredClone(schemas);
    inheritModels(schemas);
    expect(schemas).toEqual(before);
  });
});
