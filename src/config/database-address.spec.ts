import { serverAddresses, serverName } from './database-address.js';

describe('The servers of an address', () => {
  it.each([
    ['postgres://db/x', ['postgres://db/x']],
    ['postgres://u:a,b@db:1/x?sslmode=require', ['postgres://u:a,b@db:1/x?sslmode=require']],
    [
      'postgresql://u:a,b@db-1:1,[::1]:2,db-3/x?target_session_attrs=read-write',
      ['db-1:1', '[::1]:2', 'db-3'].map(
        (host) => `postgresql://u:a,b@${host}/x?target_session_attrs=read-write`,
      ),
    ],
  ])('are those of %s, each with the login and the parameters', (address, servers) => {
    expect(serverAddresses(address)).toEqual(servers);
  });

  it('have names without the login', () => {
    const address = 'postgres://me:hunter2@db-1:5433,db-2/x';
    expect(serverAddresses(address).map(serverName)).toEqual(['db-1:5433', 'db-2']);
  });
});
