import { programSignIn } from './program-sign-in.js';

describe('A sign-in that comes back', () => {
  it('of a program goes to its port, and has the code that the program shows', () => {
    expect(programSignIn('?code=x&state=49152.ab_cd-ef12345')).toEqual({
      port: 49152,
      code: 'ABCDEF12',
      address: 'http://127.0.0.1:49152/callback?code=x&state=49152.ab_cd-ef12345',
    });
  });

  it.each(['secret', '80.secret', '70000.secret', '49152@evil.example', '49152.x/../y', ''])(
    'belongs to no program with the state %j',
    (state) => {
      expect(programSignIn(`?state=${encodeURIComponent(state)}`)).toBeNull();
    },
  );
});
