import { ERROR_CODES } from '../errors/error-codes.js';
import { codeOfStatus } from './status-code.js';

describe('The code of a status', () => {
  it.each([400, 401, 403, 404, 405, 408, 409, 413, 415, 417, 421, 422, 429, 431, 500, 502, 503])(
    'is one of the documented codes for a %d',
    (status) => {
      expect(Object.keys(ERROR_CODES)).toContain(codeOfStatus(status));
    },
  );
});
