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
 * Modules that a worker loads once: what `npm run build` builds, a package whose functions tests replace, and what takes
 * long to compile or to load.
 */
const LOADED_ONCE = [
  `^${import.meta.dirname}/(src/(?!web/ui/)|migrations/|bench/|packages/[^/]+/src/).+\\.ts$`,
  '/node_modules/bcrypt/.+\\.js$',
  `^${import.meta.dirname}/test/harness/(document-schemas|identity-provider)\\.mjs$`,
];

const endToEnd = {
  ...everyProject,
  testEnvironment: '<rootDir>/test/harness/environment.mjs',
  roots: ['<rootDir>/test'],
  transform: {
    ...Object.fromEntries(LOADED_ONCE.map((path) => [path, '<rootDir>/test/harness/loaded-once.mjs'])),
    '^.+\\.ts$': ['@swc/jest', swc],
  },
  transformIgnorePatterns: ['/node_modules/(?!bcrypt/)'],
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
      testMatch: ['**/*.spec.ts'],
      transform: { '^.+\\.ts$': ['@swc/jest', swc] },
    },
    { ...endToEnd, displayName: 'api', testMatch: ['<rootDir>/test/*spec.ts'] },
    // what starts processes, browsers or thousands of requests has a folder of its own
    { ...endToEnd, displayName: 'slow', testMatch: ['<rootDir>/test/*/**/*spec.ts'] },
  ],
  testSequencer: '<rootDir>/test/harness/slow-last.mjs',
  // for what hangs: a machine with other work to do is ten times slower, and a test may start a dozen processes
  testTimeout: 120_000,
  // one more than the two processors of a small machine: many a suite waits for another process
  maxWorkers: 3,
};
