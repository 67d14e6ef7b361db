import { v7 as uuidv7 } from 'uuid';
import { type ApiKeyKind, generateKey, kindOfKey, parseKey, visiblePrefix } from './api-key-format.js';

const kinds: ApiKeyKind[] = ['user', 'agent'];
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe.each(kinds)('The %s key', (kind) => {
  const id = uuidv7();
  const { key, secret } = generateKey(kind, id);

  it('has the form that secret scanners look for', () => {
    expect(key).toMatch(new RegExp(`^svc_${kind}_[A-Za-z0-9_-]{22}[A-Za-z0-9_-]{43}[0-9a-f]{8}$`));
    expect(secret).toHaveLength(43);
  });

  it('is parsed to its kind and identifier', () => {
    expect(parseKey(key)).toEqual({ kind, id, secret });
    expect(kindOfKey(key)).toBe(kind);
  });

  it('has a visible part of its prefix and eight characters of its identifier', () => {
    expect(visiblePrefix(kind, id)).toBe(key.slice(0, `svc_${kind}_`.length + 8));
  });

  it('is refused with any single character replaced', () => {
    const taken: string[] = [];
    for (let at = 0; at < key.length; at++) {
      for (const character of [...ALPHABET, ' ', '.', '+', '/', 'é']) {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        if (changed !== key && parseKey(changed)) taken.push(changed);
      }
    }
    expect(taken).toEqual([]);
  });

  it('is refused with a character missing, doubled or swapped with its neighbour', () => {
    for (let at = 0; at < key.length; at++) {
      expect(parseKey(key.slice(0, at) + key.slice(at + 1))).toBeNull();
      expect(parseKey(key.slice(0, at + 1) + key.slice(at))).toBeNull();
      const swapped =
        key.slice(0, at) + key.slice(at + 1, at + 2) + key.slice(at, at + 1) + key.slice(at + 2);
      if (swapped !== key) expect(parseKey(swapped)).toBeNull();
    }
  });

  it('is refused in another case, and with other text around it', () => {
    for (const text of [key.toUpperCase(), key.toLowerCase(), ` ${key}`, `${key}\n`, `Bearer ${key}`, '']) {
      expect(parseKey(text)).toBeNull();
    }
  });
});

it('A new API key has a new secret each time', () => {
  const id = uuidv7();
  expect(generateKey('user', id).secret).not.toBe(generateKey('user', id).secret);
});

it('A key with an identifier that is no versioned UUID is parsed, and is unknown', () => {
  const id = 'ffffffff-ffff-0fff-0fff-fffffffffff0';
  expect(parseKey(generateKey('user', id).key)?.id).toBe(id);
});
