import { createServiceClient } from '../service-client.js';
import { AgentRuntime, type AgentRuntimeOptions } from './agent-runtime.js';

const GOOD: AgentRuntimeOptions = {
  baseUrl: 'https://service.example',
  key: 'svc_agent_x',
  apply: async () => undefined,
};

const ADDRESS = 'baseUrl must be the address of the service, like http://127.0.0.1:8000; it';
const KEY = "key must be the agent's key, or an object whose current() gives it; it";

describe('An AgentRuntime', () => {
  it.each<[string, object, string]>([
    ['no key, as of a variable that is not set', { key: undefined }, `${KEY} is undefined`],
    ['an empty key', { key: ' ' }, `${KEY} is empty`],
    [
      'a key that was copied with its line break',
      { key: 'svc_agent_x\n' },
      `${KEY} has a space, a line break or another character that no key has`,
    ],
    ['a client in the place of the key', { key: createServiceClient(GOOD) }, `${KEY} is of type object`],
    ['no address', { baseUrl: undefined }, `${ADDRESS} is undefined`],
    ['an address without a scheme', { baseUrl: 'service.example' }, `${ADDRESS} is "service.example"`],
    ['a host and a port alone', { baseUrl: 'localhost:8000' }, `${ADDRESS} is "localhost:8000"`],
    [
      'a password in the address',
      { baseUrl: 'https://me:secret@service.example' },
      `${ADDRESS} has a user name or a password, which an address may not have`,
    ],
    [
      'no apply',
      { apply: undefined },
      'apply must be a function: it brings a deployment into a state; it is undefined',
    ],
    ['an end that is none', { end: true }, 'end must be a function: it ends all work; it is of type boolean'],
  ])('refuses %s in its constructor, in one sentence', (_, change, message) => {
    const make = () => new AgentRuntime({ ...GOOD, ...change });
    expect(make).toThrow(new TypeError(message));
  });

  it('accepts a key, or a source of keys', () => {
    expect(new AgentRuntime(GOOD).agentId).toBeNull();
    expect(new AgentRuntime({ ...GOOD, key: { current: () => 'svc_agent_x' } }).agentId).toBeNull();
  });
});
