import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest environment of the tests in `test/`. Its `loadOnce` loads a module outside of Jest, once for each worker (see
 * `loaded-once.mjs`). Everything else belongs to one test file.
 */
export default class WorkerEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.loadOnce = createRequire(import.meta.url);
    // The service has the globals of the worker. Tests stop its clock, compare its errors and set its variables.
    Object.assign(this.global, { Date, Error });
    this.global.process.env = process.env;
    // Jest has just set 100. Every `expect` captures a stack, and so does every error that the service throws.
    Error.stackTraceLimit = 10;
  }
}
