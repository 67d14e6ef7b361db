import type { Operation } from './operation.js';
import { shareParameters, shareResponses } from './shared-components.js';

const query = (name: string, schema: object, description?: string) => ({
  name,
  in: 'query' as const,
  required: false,
  schema,
  description,
});
const operation = (...parameters: object[]) => ({ parameters, responses: {} }) as unknown as Operation;

describe('Parameters', () => {
  it('are components where three operations take them, and stay where they are otherwise', () => {
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

  it('keep a description of their own beside the reference', () => {
    const [usual, special] = ['Usually.', 'Here.'].map((text) => query('key', { type: 'string' }, text));
    const operations = [usual, usual, special].map((parameter) => operation(parameter!));
    expect(shareParameters(operations)).toMatchObject({ Key: { description: 'Usually.' } });
    expect(operations[2]!.parameters).toEqual([
      { $ref: '#/components/parameters/Key', description: 'Here.' },
    ]);
  });

  it('that are called the same are told apart by the maximum of a limit, and refused otherwise', () => {
    const thrice = (name: string, schema: object) => [1, 2, 3].map(() => operation(query(name, schema)));
    const limits = [50, 100].flatMap((maximum) => thrice('limit', { maximum }));
    expect(Object.keys(shareParameters(limits))).toEqual(['LimitTo50', 'LimitTo100']);
    const statuses = ['a', 'b'].flatMap((value) => thrice('status', { enum: [value] }));
    expect(() => shareParameters(statuses)).toThrow('Two parameters are called Status');
  });
});

describe('Successes', () => {
  const success = (schema: object | undefined, description = '') => ({
    description,
    ...(schema ? { content: { 'application/json': { schema } } } : {}),
  });
  const answering = (response: object) =>
    ({ responses: { 200: response, 404: { $ref: 'x' } } }) as unknown as Operation;

  it('are components named for their model where two operations have them', () => {
    const agent = { $ref: '#/components/schemas/Agent' };
    const operations = [
      ...[success(agent), success(agent), success({ type: 'array', items: agent })].map(answering),
      ...[success(undefined, 'Gone.'), success(undefined, 'Stopped.')].map(answering),
    ];
    expect(Object.keys(shareResponses(operations))).toEqual(['Agent', 'NoContent']);
    expect(operations.map(({ responses }) => responses['200'])).toEqual([
      { $ref: '#/components/responses/Agent' },
      { $ref: '#/components/responses/Agent' },
      success({ type: 'array', items: agent }),
      { $ref: '#/components/responses/NoContent' },
      { $ref: '#/components/responses/NoContent', description: 'Stopped.' },
    ]);
  });
});
