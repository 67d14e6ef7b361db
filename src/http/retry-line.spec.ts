import { jest } from '@jest/globals';
import { RetryLine } from './retry-line.js';

const FLEET = 10_000;

beforeEach(() => jest.useFakeTimers());

afterEach(() => jest.useRealTimers());

/** Serves so many requests, one after the other, in a time. */
function serve(line: RetryLine, count: number, milliseconds: number): void {
  for (let index = 0; index < count; index++) {
    line.noteServed();
    jest.advanceTimersByTime(milliseconds / count);
  }
}

function told(line: RetryLine, count: number): number[] {
  return Array.from({ length: count }, () => line.nextSeconds());
}

it('RetryLine returns at most three seconds to a single client', () => {
  const line = new RetryLine();
  for (const seconds of told(line, 10)) expect([1, 2, 3]).toContain(seconds);
});

it('RetryLine spreads clients over the time that serving them takes', () => {
  const line = new RetryLine();
  serve(line, 500, 1_000);
  const seconds = told(line, 5_000);
  expect(Math.max(...seconds)).toBeGreaterThanOrEqual(10);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(12);
  const inTheFirstFive = seconds.filter((one) => one <= 5).length;
  expect(inTheFirstFive).toBeGreaterThan(1_500);
  expect(inTheFirstFive).toBeLessThan(2_600);
});

it('RetryLine assumes a slow service when nothing was served lately, and returns at most 33 seconds', () => {
  const line = new RetryLine();
  const seconds = told(line, FLEET);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(33);
  const ofEachSecond = Array.from({ length: 34 }, (_, at) => seconds.filter((one) => one === at).length);
  expect(Math.max(...ofEachSecond)).toBeLessThan(FLEET / 10);
});

it('RetryLine is empty again when the time of its last client is over', () => {
  const line = new RetryLine();
  told(line, FLEET);
  jest.advanceTimersByTime(30_000);
  for (const seconds of told(line, 10)) expect(seconds).toBeLessThanOrEqual(4);
});
