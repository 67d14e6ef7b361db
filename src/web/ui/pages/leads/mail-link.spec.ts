import { mailLink } from './mail-link.js';

describe('A mail link', () => {
  it('opens a mail to the address', () => {
    expect(mailLink('ada+work@example.com')).toBe('mailto:ada%2Bwork@example.com');
  });

  it('adds no recipient, subject or text that the address contains', () => {
    const url = new URL(mailLink('ada?cc=eve@example.com&body=x@example.com'));
    expect([url.search, decodeURIComponent(url.pathname)]).toEqual([
      '',
      'ada?cc=eve@example.com&body=x@example.com',
    ]);
  });
});
