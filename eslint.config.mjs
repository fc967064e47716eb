import tseslint from 'typescript-eslint';

const tests = ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts', 'libs/*/src/testing/**/*.ts'];
const sources = ['apps/**/*.ts', 'libs/**/*.ts'];

/** Where text from outside becomes a checked value, or a driver's untyped row becomes ours. */
const boundaryParsers = [
  'libs/domain/src/ids.ts',
  'libs/event-store/src/**/*.ts',
  'libs/queue/src/**/*.ts',
  'libs/models/src/**/*.ts',
  'libs/client/src/**/*.ts',
];

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'coverage', '.weir', 'apps/console', 'test/fixtures', '**/*.gen.ts'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { allowDefaultCaseForExhaustiveSwitch: false }],
      // A function that meets an async port need not wait for anything itself.
      '@typescript-eslint/require-await': 'off',
      // Templates print numbers and booleans all the time.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      // `== null` asks for both kinds of nothing, and is the only loose comparison that says what it means.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only libs/platform/src/config reads the environment: use its settings.',
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: ['child_process', 'node:child_process'].map((name) => ({
            name,
            message: 'Only libs/platform/src/services starts processes.',
          })),
        },
      ],
    },
  },
  {
    files: sources,
    ignores: [...tests, ...boundaryParsers],
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }] },
  },
  {
    files: ['libs/platform/src/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off', 'no-restricted-imports': 'off' },
  },
  {
    // The operator's MCP servers are processes.
    files: ['libs/tools/src/mcp/operator-process.ts'],
    rules: { 'no-restricted-imports': 'off' },
  },
  {
    files: tests,
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-syntax': 'off',
      'no-restricted-imports': 'off',
      'no-console': 'off',
      // What a test reads is checked by the test itself.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'globalThis',
          'setInterval',
          'setTimeout',
          'clearInterval',
          'clearTimeout',
          'fetch',
          'performance',
          'AbortSignal',
          'Buffer',
          'module',
          'require',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'max-lines': ['error', { max: 300 }], 'no-undef': 'error', 'no-unused-vars': 'error', eqeqeq: 'error' },
  },
);
