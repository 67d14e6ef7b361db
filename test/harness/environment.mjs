import UnitEnvironment from './unit-environment.mjs';

/**
 * Jest environment of the tests in `test/`. The service belongs to the worker (see `loaded-once.mjs`), everything else
 * to one test file.
 */
export default class WorkerEnvironment extends UnitEnvironment {
  async setup() {
    await super.setup();
    // The service uses the globals of the worker. Tests stop its clock, compare its errors and set its variables.
    Object.assign(this.global, { Date, Error });
    this.global.process.env = process.env;
    // Jest has just set 100. Every `expect` captures a stack, and so does every error of the service.
    Error.stackTraceLimit = 10;
  }
}
