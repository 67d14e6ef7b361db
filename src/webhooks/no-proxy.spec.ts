import { isWithoutProxy } from './no-proxy.js';

describe('A target', () => {
  it.each([
    ['hooks.example.com', 443, 'example.com'],
    ['hooks.example.com', 443, '.example.com'],
    ['hooks.example.com', 443, '*.example.com'],
    ['Hooks.Example.com.', 443, 'other.example, hooks.example.COM'],
    ['hooks.example.com', 8443, 'hooks.example.com:8443'],
    ['example.com', 443, '.example.com'],
    ['hooks.example.com', 443, 'a b *'],
    ['10.1.2.3', 80, '10.0.0.0/8'],
    ['10.1.2.3', 80, '10.1.2.3'],
    ['10.1.2.3', 80, '10.1.2.3:80'],
    ['[fd00::1]', 80, 'fd00::/8'],
    ['[fd00::1]', 80, '[fd00::1]:80'],
    ['[fd00::1]', 80, 'fd00::1'],
    ['localhost', 3000, ''],
    ['app.localhost', 3000, ''],
    ['127.0.0.1', 3000, ''],
    ['[::1]', 3000, ''],
  ])('is reached without a proxy: %s, port %d, with the list %j', (hostname, port, list) => {
    expect(isWithoutProxy(list, hostname, port)).toBe(true);
  });

  it.each([
    ['hooks.example.com', 443, ''],
    ['hooks.example.com', 443, ' , '],
    ['hooks.example.com', 443, 'ooks.example.com'],
    ['hooks.example.com', 443, 'hooks.example.com:8443'],
    ['hooks.example.com', 443, '10.0.0.0/8'],
    ['example.com.evil.example', 443, 'example.com'],
    ['11.1.2.3', 80, '10.0.0.0/8'],
    ['11.1.2.3', 80, '10.0.0.0/99'],
    ['10.1.2.3', 80, '2.3'],
    ['[fe00::1]', 80, 'fd00::/8'],
  ])('is reached through the proxy: %s, port %d, with the list %j', (hostname, port, list) => {
    expect(isWithoutProxy(list, hostname, port)).toBe(false);
  });
});
