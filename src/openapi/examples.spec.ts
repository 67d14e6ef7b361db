import type { OpenAPIObject } from '@nestjs/swagger';
import { addExamples } from './examples.js';

type Schemas = Record<string, any>;

/** A document whose only operation answers with the first of the models. */
function documentOf(schemas: Schemas): OpenAPIObject {
  const schema = { $ref: `#/components/schemas/${Object.keys(schemas)[0]}` };
  const get = { responses: { 200: { description: '', content: { 'application/json': { schema } } } } };
  return { paths: { '/': { get } }, components: { schemas } } as unknown as OpenAPIObject;
}

const withExamples = (schemas: Schemas): Schemas => {
  addExamples(documentOf(schemas));
  return schemas;
};

describe('The example of a model', () => {
  it("has all required properties and the optional ones with an example, and replaces the properties' examples", () => {
    const { Agent } = withExamples({
      Agent: {
        type: 'object',
        properties: {
          name: { type: 'string', example: 'reader' },
          status: { type: 'string', enum: ['running', 'stopped'] },
          at: { type: 'string', format: 'date-time' },
          ended_at: { type: ['string', 'null'], format: 'date-time' },
          version: { type: 'string', example: '1.4.2' },
          notes: { type: 'string' },
        },
        required: ['name', 'status', 'at', 'ended_at'],
      },
    });
    expect(Agent.examples).toEqual([
      { name: 'reader', status: 'running', at: '2026-01-31T09:30:00.000Z', ended_at: null, version: '1.4.2' },
    ]);
    expect(JSON.stringify(Agent.properties)).not.toContain('"example"');
  });

  it('contains the example of a nested model, which has it as well', () => {
    const { Reply, Data } = withExamples({
      Reply: {
        type: 'object',
        properties: { data: { $ref: '#/components/schemas/Data' } },
        required: ['data'],
      },
      Data: { type: 'object', properties: { count: { type: 'integer', minimum: 0 } }, required: ['count'] },
    });
    expect([Reply.examples, Data.examples]).toEqual([[{ data: { count: 1 } }], [{ count: 1 }]]);
  });

  it('contains all properties of a nested model that inherits', () => {
    const { Reply } = withExamples({
      Reply: {
        type: 'object',
        properties: { step: { $ref: '#/components/schemas/Named' } },
        required: ['step'],
      },
      Named: {
        allOf: [
          { $ref: '#/components/schemas/Step' },
          { type: 'object', properties: { name: { type: 'string', example: 'ci' } }, required: ['name'] },
        ],
      },
      Step: { type: 'object', properties: { count: { type: 'integer', minimum: 0 } }, required: ['count'] },
    });
    expect(Reply.examples).toEqual([{ step: { count: 1, name: 'ci' } }]);
  });

  it('contains only the own properties of a model that inherits', () => {
    const { Created } = withExamples({
      Created: {
        allOf: [
          { $ref: '#/components/schemas/Agent' },
          { type: 'object', properties: { key: { type: 'string', example: 'secret' } }, required: ['key'] },
        ],
      },
      Agent: { type: 'object', properties: {} },
    });
    expect(Created.allOf.at(-1).examples).toEqual([{ key: 'secret' }]);
  });

  it("is refused when a required property has no example, with the property's name", () => {
    const schemas = {
      Agent: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    };
    expect(() => withExamples(schemas)).toThrow('Agent.name has no example');
  });
});
