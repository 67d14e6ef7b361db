import { jest } from '@jest/globals';
import { keyIdOf, StoredTextCipher } from '../secrets/stored-text-cipher.js';
import { AgentConfigCipher, UNREADABLE_CONFIG } from './agent-config-cipher.js';

const KEYS = { WEBHOOK_SECRET_KEY: 'a key of more than thirty-two bytes', WEBHOOK_SECRET_KEY_PREVIOUS: '' };
const IN_USE = { inUse: () => Promise.resolve(keyIdOf(KEYS.WEBHOOK_SECRET_KEY)) };
const MINE = { agentId: 'mine', configVersion: 1 };

describe('The configs of agents', () => {
  it('are decrypted once and then read from the cache', async () => {
    const cipher = new AgentConfigCipher(KEYS, IN_USE);
    const decrypt = jest.spyOn(StoredTextCipher.prototype, 'decrypt');
    const stored = await cipher.seal(MINE, '{"command": ["node"]}');
    expect(stored).not.toContain('node');
    expect([cipher.open(MINE, stored), cipher.open(MINE, stored)]).toEqual(
      Array(2).fill('{"command": ["node"]}'),
    );
    expect(decrypt).toHaveBeenCalledTimes(1);
    decrypt.mockRestore();
  });

  it('can not be decrypted under another agent or another version, even from the cache', async () => {
    const cipher = new AgentConfigCipher(KEYS, IN_USE);
    const stored = await cipher.seal(MINE, '{}');
    cipher.open(MINE, stored);
    expect(cipher.openOrSay({ ...MINE, agentId: 'others' }, stored)).toBe(UNREADABLE_CONFIG);
    expect(cipher.openOrSay({ ...MINE, configVersion: 2 }, stored)).toBe(UNREADABLE_CONFIG);
  });
});
