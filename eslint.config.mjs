import * as parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';
import { defineConfig, globalIgnores } from 'eslint/config';

/** The rules that oxlint (.oxlintrc.json) does not have. */
export default defineConfig(
  globalIgnores(['**/dist/', '**/generated/']),
  { files: ['**/*.{ts,tsx}'], languageOptions: { parser } },
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
    },
  },
);
