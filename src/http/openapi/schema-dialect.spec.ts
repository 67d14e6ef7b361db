import { toOpenApi31 } from './schema-dialect.js';

describe('The 3.1 schema dialect', () => {
  it.each([
    [{ type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'string', nullable: false },
      { type: 'string', nullable: false },
    ],
    [
      { type: 'string', enum: ['a'], nullable: true },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { $ref: '#/x', description: 'd', nullable: true },
      { description: 'd', oneOf: [{ $ref: '#/x' }, { type: 'null' }] },
    ],
    [{ properties: { nullable: { type: 'boolean' } } }, { properties: { nullable: { type: 'boolean' } } }],
  ])('%j becomes %j', (from, to) => {
    expect(toOpenApi31(from)).toEqual(to);
  });
});
