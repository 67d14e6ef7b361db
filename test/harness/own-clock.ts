import { mock } from 'node:test';
import { ID_CLOCK, IdClock } from '../../src/database/new-id.js';

/** Length of a step of one-time codes; milliseconds. */
export const STEP_MS = 30_000;

let now = 0;

/** Stops the clock of this process, and nothing else of its time, so that a code is the same for a whole test. */
export function stopClock(): void {
  now = Date.now();
  mock.timers.enable({ apis: ['Date'], now });
}

/** Moves the stopped clock by steps of one-time codes. @returns its time; milliseconds since 1970 */
export function moveClock(steps: number): number {
  now += steps * STEP_MS;
  mock.timers.setTime(now);
  return now;
}

/** Later suites of this process get ids of the real time, not of the latest to which the clock was moved. */
export function letClockRun(): void {
  mock.timers.reset();
  Object.assign(ID_CLOCK, new IdClock());
}
