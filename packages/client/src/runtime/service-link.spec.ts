import { jest } from '@jest/globals';
import { ServiceError } from '../service-errors.js';
import { ServiceLink } from './service-link.js';

describe('A call that fails again and again', () => {
  const { signal } = new AbortController();
  let link: ServiceLink;
  let retryAfterSeconds: number | undefined;
  /** Times of the attempts since the last {@link counted}; milliseconds. */
  let attempts: number[];

  const call = () => {
    attempts.push(Date.now());
    return Promise.reject(new ServiceError(500, 'No', ['No'], 'a-request', retryAfterSeconds));
  };
  const counted = () => {
    jest.setSystemTime(0);
    attempts = [];
  };

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    // each pause is as long as its ceiling
    jest.spyOn(Math, 'random').mockReturnValue(1);
    retryAfterSeconds = undefined;
    attempts = [];
    link = new ServiceLink({
      baseUrl: 'http://service',
      key: 'key',
      userAgent: 'test',
      onEvent: () => undefined,
      refusalPatienceMs: 0,
    });
  });

  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('is made with longer and longer pauses', async () => {
    void link.retryTransient(call, signal);
    await jest.advanceTimersByTimeAsync(62_000);
    expect(attempts).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 61_500]);
  });

  it('is made at once when the agent ends, and then with short pauses', async () => {
    void link.retryTransient(call, signal);
    await jest.advanceTimersByTimeAsync(62_000);
    counted();
    link.hurry();
    await jest.advanceTimersByTimeAsync(3_000);
    expect(attempts).toEqual([0, 500, 1_500, 2_500]);
  });

  it('is made with short pauses if it begins when the agent ends', async () => {
    link.hurry();
    void link.retryTransient(call, signal);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(attempts).toEqual([0, 500, 1_500, 2_500]);
  });

  it('waits for the end of a Retry-After, also when the agent ends', async () => {
    retryAfterSeconds = 4;
    void link.retryTransient(call, signal);
    await jest.advanceTimersByTimeAsync(1_000);
    link.hurry();
    await jest.advanceTimersByTimeAsync(9_000);
    // with a random time on top
    expect(attempts).toEqual([0, 4_500, 9_500]);
  });
});
