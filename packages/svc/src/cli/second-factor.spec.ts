import { proofOf } from './second-factor.js';

describe('proofOf', () => {
  it.each(['123456', '123 456', ' 123456 '])('takes %j as the code of an authenticator app', (typed) =>
    expect(proofOf(typed)).toEqual({ code: '123456' }),
  );

  it.each(['abcdef-ghijkl-mnopqr-stuvwx', '12345', '1234567'])('takes %j as a recovery code', (typed) =>
    expect(proofOf(` ${typed} `)).toEqual({ recovery_code: typed }),
  );
});
