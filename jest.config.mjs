/** Tests run from the sources, one swc transform away; `scripts/test.mjs` starts this with ES modules enabled. */
const swc = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

export default {
  testEnvironment: '<rootDir>/test/harness/environment.mjs',
  testSequencer: '<rootDir>/test/harness/longest-first.mjs',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts', '**/*.e2e-spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  // in the order in which they are tried for every import of the sources
  moduleFileExtensions: ['js', 'ts', 'json', 'mjs', 'cjs', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  globalSetup: '<rootDir>/test/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/global-teardown.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/harness/fail-on-violations.ts'],
  // for what hangs: a machine with other work to do is ten times slower, and a test may start a dozen processes
  testTimeout: 120_000,
  // one more than the two processors of a small machine: many a suite waits for another process
  maxWorkers: 3,
};
