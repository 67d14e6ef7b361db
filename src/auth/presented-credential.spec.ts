import { presentedCredential } from './presented-credential.js';

describe('presentedCredential', () => {
  it.each([
    ['Bearer abc.def', 'abc.def'],
    ['bearer abc', 'abc'],
    ['BEARER   abc', 'abc'],
    ['Bearer abc ', 'abc'],
  ])('reads the bearer from %j', (authorization, text) => {
    expect(presentedCredential({ authorization })).toEqual({ sentAs: 'bearer', text });
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic dTpw',
    'abc',
    'Bearerabc',
    'Bearer a b',
    `Bearer ${'a'.repeat(5_000)}`,
  ])('finds no bearer in %j', (authorization) => {
    expect(presentedCredential({ authorization })).toBeNull();
  });

  it('reads an API key from X-API-Key', () => {
    expect(presentedCredential({ 'x-api-key': 'key' })).toEqual({ sentAs: 'x-api-key', text: 'key' });
  });

  it.each([undefined, '', ['one', 'two'], 'k'.repeat(5_000)])('finds no API key in %j', (key) => {
    expect(presentedCredential({ 'x-api-key': key })).toBeNull();
  });

  it('uses the Authorization header when both are sent, even when it is malformed', () => {
    expect(presentedCredential({ authorization: 'Bearer a', 'x-api-key': 'b' })?.text).toBe('a');
    expect(presentedCredential({ authorization: 'Basic a', 'x-api-key': 'b' })).toBeNull();
  });
});
