import { readFileSync } from 'node:fs';
import { explain, explainedNames, type Schemas } from './explained-schema.js';

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as { components: { schemas: Schemas } };
const { schemas } = document.components;

describe('explain', () => {
  it('has the bounds of the request that gives a field of a reply', () => {
    expect(explain('agent.name', schemas)).toMatchObject({
      type: 'string',
      bounds: ['1 to 200 characters'],
      given_in: ['CreateAgentRequest', 'UpdateAgentRequest'],
      fields: [],
    });
  });

  it('follows references, parts that may be null, and lists', () => {
    expect(explain('agent.health.state', schemas)!.bounds.join()).toContain('failing');
    expect(explain('agent.paused', schemas)!.fields.length).toBeGreaterThan(0);
    expect(explain('agent.deployments.status', schemas)!.bounds.join()).toContain('running');
    expect(explain('agent.deployments', schemas)!.type).toBe('list of object');
  });

  it('finds resources by their plural, and schemas by their name', () => {
    expect(explain('api-keys', schemas)!.fields.map(({ name }) => name)).toContain('key_prefix');
    expect(explain('HeartbeatRequest', schemas)!.fields.length).toBeGreaterThan(0);
  });

  it('explains a config without the document, and inside of an agent', () => {
    const field = explain('config.restart.give_up_after', {});
    expect(field).toMatchObject({ type: 'integer', bounds: ['0 to 1000000', 'default 5'] });
    expect(explain('agent.config.restart.give_up_after', schemas)!.bounds).toEqual(field!.bounds);
  });

  it('prints a sentence of both the reply and a request once', () => {
    const text = (description: string) => ({ properties: { budget: { type: 'string', description } } });
    const given = {
      AgentResponse: text('What it may spend. Null: all.'),
      CreateAgentRequest: text('What it may spend. Absent: all.'),
      UpdateAgentRequest: text('What it may spend. Null: all.'),
    };
    expect(explain('agent.budget', given)!.description).toBe('What it may spend. Null: all.\nAbsent: all.');
  });

  it.each(explainedNames(schemas))('says no sentence of a field of %s twice', (name) => {
    for (const { name: field } of explain(name, schemas)!.fields) {
      const sentences = explain(`${name}.${field}`, schemas)!.description.split(/(?<=[.!?])\s+/);
      expect(sentences).toEqual([...new Set(sentences)]);
    }
  });

  it.each(['nothing', 'agent.nothing', 'agent.name.x', 'agent.constructor', '', 'agent.'])(
    'knows no %j',
    (path) => expect(explain(path, schemas)).toBeUndefined(),
  );

  it.each(explainedNames(schemas))('explains %s, which is listed', (name) => {
    expect(explain(name, schemas)!.fields.length).toBeGreaterThan(0);
  });
});
