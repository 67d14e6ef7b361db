import { canUsePasskeys } from './passkey-place.js';

describe('canUsePasskeys', () => {
  const offered = (isOffered: boolean) =>
    Object.assign(globalThis, isOffered && { PublicKeyCredential: class {} });
  afterEach(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'));

  it.each(['localhost', 'control.example.com'])('is true at the name %s', (hostname) => {
    offered(true);
    expect(canUsePasskeys({ hostname })).toBe(true);
  });

  it.each(['127.0.0.1', '10.0.0.7', '[::1]'])('is false at the address %s', (hostname) => {
    offered(true);
    expect(canUsePasskeys({ hostname })).toBe(false);
  });

  it('is false where the browser offers none, such as over plain http', () => {
    expect(canUsePasskeys({ hostname: 'control.example.com' })).toBe(false);
  });
});
