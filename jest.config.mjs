/** `scripts/test.mjs` builds the project and starts Jest with ES modules enabled. */
const swc = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};

const everyProject = {
  // the packages from their sources, as the type checker takes them
  testEnvironmentOptions: { customExportConditions: ['@agent-control-plane/source', 'node', 'node-addons'] },
  modulePathIgnorePatterns: ['<rootDir>/packages/[^/]+/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  // in the order in which they are tried for every import of the sources
  moduleFileExtensions: ['js', 'ts', 'json', 'mjs', 'cjs', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

/**
 * Packages that take long to load, or whose state or functions the service and a test have to share. class-validator is
 * none of them: it asks what is an Array, and those of a unit test are not the worker's.
 */
const PACKAGES =
  '(@bufbuild/protobuf|@nestjs/[^/]+|bcrypt|express|fast-check|pg|playwright-core|svix|typeorm)/';

/** Modules that a worker loads once: packages, what `npm run build` builds, and what takes long to compile. */
const LOADED_ONCE = {
  packages: `/node_modules/${PACKAGES}.+\\.js$`,
  built: `^${import.meta.dirname}/(src/(?!web/ui/)|migrations/|bench/|packages/[^/]+/src/).+\\.ts$`,
  harness: `^${import.meta.dirname}/test/harness/(cluster|document-schemas|identity-provider|sent-statements)\\.mjs$`,
};

/** @param loadedOnce of {@link LOADED_ONCE} */
const transformed = (...loadedOnce) => ({
  transform: {
    ...Object.fromEntries(loadedOnce.map((path) => [path, '<rootDir>/test/harness/loaded-once.mjs'])),
    '^.+\\.ts$': ['@swc/jest', swc],
  },
  transformIgnorePatterns: [`/node_modules/(?!${PACKAGES})`],
});

const endToEnd = {
  ...everyProject,
  ...transformed(LOADED_ONCE.packages, LOADED_ONCE.built, LOADED_ONCE.harness),
  testEnvironment: '<rootDir>/test/harness/environment.mjs',
  roots: ['<rootDir>/test'],
  globalSetup: '<rootDir>/test/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/global-teardown.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/harness/fail-on-violations.ts'],
};

export default {
  projects: [
    {
      ...everyProject,
      displayName: 'unit',
      roots: ['<rootDir>/src', '<rootDir>/packages'],
      testEnvironment: '<rootDir>/test/harness/unit-environment.mjs',
      testMatch: ['**/*.spec.ts'],
      // Their own modules are of one file each: tests stop the clocks and count the calls of these.
      ...transformed(LOADED_ONCE.packages),
    },
    { ...endToEnd, displayName: 'api', testMatch: ['<rootDir>/test/*spec.ts'] },
    // what starts processes, browsers or thousands of requests has a folder of its own
    { ...endToEnd, displayName: 'slow', testMatch: ['<rootDir>/test/*/**/*spec.ts'] },
  ],
  testSequencer: '<rootDir>/test/harness/slow-last.mjs',
  // for what hangs: a machine with other work to do is ten times slower, and a test may start a dozen processes
  testTimeout: 120_000,
  // for what hangs, too: a worker that has nothing more to do frees its heap, which takes a second on a busy machine
  workerGracefulExitTimeout: 10_000,
  // twice the two processors of a small machine: the slow suites wait for half of their time
  maxWorkers: 4,
};
