import type { Operation } from '../http/openapi/operation.js';
import { shareParameters } from './shared-components.js';

const query = (name: string, schema: object, description?: string) => ({
  name,
  in: 'query' as const,
  required: false,
  schema,
  description,
});
const operation = (...parameters: object[]) => ({ parameters, responses: {} }) as unknown as Operation;

describe('A parameter', () => {
  it('is a component when three operations have it, and otherwise stays in the operation', () => {
    const skip = query('skip', { type: 'integer' }, 'How many to leave out.');
    const once = query('wait', { type: 'number' });
    const operations = [operation(skip, once), operation(skip), operation(skip)];
    expect(Object.keys(shareParameters(operations))).toEqual(['Skip']);
    const reference = { $ref: '#/components/parameters/Skip' };
    expect(operations.map(({ parameters }) => parameters)).toEqual([
      [reference, { name: 'wait', in: 'query', schema: { type: 'number' } }],
      [reference],
      [reference],
    ]);
  });

  it('keeps its own description next to the reference', () => {
    const [usual, special] = ['Usually.', 'Here.'].map((text) => query('key', { type: 'string' }, text));
    const operations = [usual, usual, special].map((parameter) => operation(parameter!));
    expect(shareParameters(operations)).toMatchObject({ Key: { description: 'Usually.' } });
    expect(operations[2]!.parameters).toEqual([
      { $ref: '#/components/parameters/Key', description: 'Here.' },
    ]);
  });

  it('is named with the maximum of its limit when two have one name, and is refused otherwise', () => {
    const thrice = (name: string, schema: object) => [1, 2, 3].map(() => operation(query(name, schema)));
    const limits = [50, 100].flatMap((maximum) => thrice('limit', { maximum }));
    expect(Object.keys(shareParameters(limits))).toEqual(['LimitTo50', 'LimitTo100']);
    const statuses = ['a', 'b'].flatMap((value) => thrice('status', { enum: [value] }));
    expect(() => shareParameters(statuses)).toThrow('Two parameters are called Status');
  });
});
