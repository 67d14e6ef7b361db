import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

// A worker that has nothing more to do would first free a heap of hundreds of files. On a busy machine that takes longer than
// the half second after which Jest kills it, with a warning of tests that leak.
process.once('exit', () => process.exit());

/** Jest environment of the unit tests. Its `loadOnce` loads a module outside of Jest, once for each worker. */
export default class UnitEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.loadOnce = createRequire(import.meta.url);
    // Decorators of packages and of test files store their metadata here.
    this.global.Reflect = Reflect;
  }
}
