import { plainHttpWarning } from './api-address.js';

describe('An address', () => {
  it.each(['http://control.example.com', 'http://10.0.0.7:8000', 'http://localhost.example.com'])(
    'is warned of when it is %s',
    (address) => {
      expect(plainHttpWarning(address)).toMatch(`${address} is not encrypted`);
    },
  );

  it.each([
    'https://control.example.com',
    'http://localhost:8000',
    'http://agents.localhost',
    'http://127.0.0.1:8000',
    'http://[::1]:8000',
  ])('is not warned of when it is %s', (address) => {
    expect(plainHttpWarning(address)).toBeUndefined();
  });
});
