import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

/** Jest environment of the unit tests. Its `loadOnce` loads a module outside of Jest, once for each worker. */
export default class UnitEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.loadOnce = createRequire(import.meta.url);
    // Decorators of packages and of test files store their metadata here.
    this.global.Reflect = Reflect;
  }
}
