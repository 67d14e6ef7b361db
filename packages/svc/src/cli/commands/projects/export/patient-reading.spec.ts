import { ServiceError } from '@agent-control-plane/client';
import { patiently } from './patient-reading.js';

const { signal } = new AbortController();

/** Fails with each of the errors, one after the other, and then answers. */
function failing(...errors: Error[]) {
  let count = 0;
  return {
    read: async () => {
      const error = errors[count++];
      if (error) throw error;
      return 'answer';
    },
    calls: () => count,
  };
}

const refusal = (status: number) => new ServiceError(status, 'no', ['no'], 'id', undefined);

it('A read is repeated after a 429 and a 503', async () => {
  const { read, calls } = failing(refusal(429), refusal(503));
  expect(await patiently(read, signal, 1)).toBe('answer');
  expect(calls()).toBe(3);
});

it('A read that is refused is not repeated', async () => {
  const { read, calls } = failing(refusal(403));
  await expect(patiently(read, signal, 1)).rejects.toMatchObject({ status: 403 });
  expect(calls()).toBe(1);
});

it('A read ends with the eighth failure in succession', async () => {
  const { read, calls } = failing(...Array.from({ length: 9 }, () => refusal(500)));
  await expect(patiently(read, signal, 1)).rejects.toMatchObject({ status: 500 });
  expect(calls()).toBe(8);
});

it('A read is not repeated once its signal has aborted', async () => {
  const { read, calls } = failing(refusal(429));
  await expect(patiently(read, AbortSignal.abort(new Error('stop')), 1)).rejects.toThrow('stop');
  expect(calls()).toBe(1);
});
