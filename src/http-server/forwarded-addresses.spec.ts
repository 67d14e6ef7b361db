import type { IncomingMessage } from 'node:http';
import { dropForwardedPorts } from './forwarded-addresses.js';

describe('X-Forwarded-For', () => {
  it.each([
    ['192.0.2.1:50123', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['192.0.2.1:1, 2001:db8::2,[::1]:9', '192.0.2.1, 2001:db8::2, ::1'],
    ['unknown:1, 192.0.2.1', 'unknown:1, 192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
  ])('has the addresses alone when it is %s', (given, expected) => {
    const request = { headers: { 'x-forwarded-for': given } } as unknown as IncomingMessage;
    dropForwardedPorts(request);
    expect(request.headers['x-forwarded-for']).toBe(expected);
  });

  it('stays absent when there is none', () => {
    const request = { headers: {} } as IncomingMessage;
    dropForwardedPorts(request);
    expect(request.headers).toEqual({});
  });
});
