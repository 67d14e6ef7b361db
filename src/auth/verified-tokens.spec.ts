import type { CredentialOwner } from './access-token.strategy.js';
import { VerifiedTokens } from './verified-tokens.js';

const OWNER: CredentialOwner = {
  userId: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11',
  credential: 'token',
  keyId: null,
  scopes: ['*'],
  sessionId: '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c12',
};

describe('The verified tokens', () => {
  it('return the owner of a token until its expiry to the millisecond', () => {
    const tokens = new VerifiedTokens();
    tokens.remember('a.b.c', OWNER, 5_000);
    expect(tokens.ownerOf('a.b.c', 4_999)).toEqual(OWNER);
    expect(tokens.ownerOf('a.b.c', 5_000)).toBeUndefined();
  });

  it('return nothing for a token that differs in one character', () => {
    const tokens = new VerifiedTokens();
    tokens.remember('a.b.c', OWNER, 5_000);
    expect(tokens.ownerOf('a.b.d', 1)).toBeUndefined();
  });
});
