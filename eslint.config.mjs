import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Nest's HTTP exceptions: services speak of what went wrong (src/errors), http/error-table.ts of statuses. */
const HTTP_EXCEPTIONS = '^(HttpException|HttpStatus|[A-Z]\\w+(Exception|Error))$';

const nodeGlobals = Object.fromEntries(
  [
    'process',
    'console',
    'URL',
    'fetch',
    'Buffer',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
  ]
    .concat(['AbortController', 'AbortSignal', 'globalThis', 'performance', 'structuredClone', 'TextDecoder'])
    .map((name) => [name, 'readonly']),
);

const noForwardRef = {
  name: '@nestjs/common',
  importNames: ['forwardRef'],
  message: 'A circle of modules: take it apart (docs/architecture.md).',
};

/** Rules for files that may not import what has such a name from `@nestjs/common`. A second setting of a rule replaces the first. */
const refuseFromNest = (importNamePattern, message) => ({
  'no-restricted-imports': [
    'error',
    { paths: [noForwardRef], patterns: [{ group: ['@nestjs/common'], importNamePattern, message }] },
  ],
});

export default defineConfig(
  globalIgnores([
    'dist/',
    'packages/*/dist/',
    'guide/dist/',
    'coverage/',
    'node_modules/',
    '.data/',
    'packages/*/src/generated/',
    'src/telemetry/otlp/generated/',
    'test/generators/generated/',
    'test/generators/*.ts',
  ]),
  js.configs.recommended,
  {
    rules: {
      'max-lines': ['error', { max: 300 }],
      eqeqeq: ['error', 'always'],
      'no-console': 'error',
      'no-restricted-imports': ['error', { paths: [noForwardRef] }],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      // an implementation of an interface that promises a promise need not wait for anything
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['src/**/*.ts', 'packages/*/src/**/*.ts'],
    // the dashboard loads its pages when they are looked at, and a command of svc only what it needs
    ignores: [
      '**/*.spec.ts',
      'src/web/ui/**',
      'packages/svc/src/cli/{program,all-commands}.ts',
      'src/main.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        // A package imports nothing of ours, and one that is loaded when it is needed takes no memory before.
        {
          selector: 'ImportExpression:not([source.value=/^@?[a-z]/])',
          message: 'Import at the top: import() hides a cycle.',
        },
        {
          selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>5]",
          message: 'Too many collaborators: this is two services.',
        },
      ],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // each pattern takes linear time, because callers choose the text that it meets
    files: ['src/**', 'packages/*/src/**', 'scripts/**', 'guide/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      // a sticky pattern is tried at one place alone
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: true }],
    },
  },
  {
    files: ['src/**/*.service.ts', 'src/**/*.repository.ts', 'src/**/*.entity.ts'],
    rules: refuseFromNest(
      HTTP_EXCEPTIONS,
      'A service throws a domain error (src/errors), never an HTTP one.',
    ),
  },
  {
    files: ['src/**/*.ts'],
    // the web server beside the service reads its own few variables
    ignores: ['src/config/**', 'src/web/**', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Settings come from src/config.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts', 'bench/**/*.ts'],
    rules: {
      // what a test reads from a reply is of any shape, and the assertion says which
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // their output is what they are for
    files: [
      'demo/**',
      'bench/**',
      'scripts/**',
      'test/generators/**',
      'packages/svc/src/cli/**',
      'src/write-openapi.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: { ...nodeGlobals, module: 'writable', require: 'readonly', __dirname: 'readonly' },
    },
  },
);
