import { generateKey, parseKey, type ApiKeyKind } from './api-key-format.js';
import { ProvenKeys } from './proven-keys.js';

function makeKey(kind: ApiKeyKind) {
  const { key } = generateKey(kind, '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11');
  return { key, parsed: parseKey(key)! };
}

describe('The proven keys', () => {
  it('know the record that proved an agent key, and nothing of a key that differs in one character', () => {
    const proven = new ProvenKeys<object>();
    const { key, parsed } = makeKey('agent');
    const record = {};
    proven.remember(key, parsed, record);
    expect(proven.find(key)).toEqual({ ...parsed, provenBy: record });
    expect(proven.find(key)?.provenBy).toBe(record);
    expect(proven.find(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toBeUndefined();
  });

  it('keep no text of a key of a person', () => {
    const proven = new ProvenKeys<object>();
    const { key, parsed } = makeKey('user');
    proven.remember(key, parsed, {});
    expect(proven.find(key)).toBeUndefined();
  });
});
