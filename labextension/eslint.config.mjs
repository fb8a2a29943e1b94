import eslint from '@eslint/js';
import jupyter from '@jupyter/eslint-plugin';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'lib', 'coverage', '*.config.js'] },
  eslint.configs.recommended,
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { jupyter },
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json' }
    },
    rules: {
      // The first of its configurations is the one for sources; the others are for schemas and UI tests.
      ...jupyter.configs.recommended[0].rules,
      // JupyterLab makes renderers synchronously, so their code has to be there.
      'jupyter/prefer-lazy-imports': 'off',
      '@typescript-eslint/naming-convention': [
        'error',
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: true }
        },
        {
          selector: 'memberLike',
          modifiers: ['private'],
          format: ['camelCase'],
          leadingUnderscore: 'require'
        }
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      // A Lumino signal takes the method and its `this` apart.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-properties': [
        'error',
        {
          property: 'innerHTML',
          message: 'Model text never becomes HTML here.'
        },
        {
          property: 'outerHTML',
          message: 'Model text never becomes HTML here.'
        },
        {
          property: 'insertAdjacentHTML',
          message: 'Model text never becomes HTML here.'
        }
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: 'Model text never becomes HTML here.'
        },
        {
          selector:
            ':matches(SpreadElement, JSXSpreadAttribute) > :matches(ObjectExpression, ArrayExpression).argument',
          message: 'Write the members out: this spread only shortens lines.'
        }
      ],
      curly: ['error', 'all'],
      eqeqeq: 'error'
    }
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/index.ts', 'src/extras/**', 'src/__tests__/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/extras', '**/extras/**'],
              message: 'The core imports no extra: index.ts alone adds them.'
            }
          ]
        }
      ]
    }
  },
  {
    files: ['src/__tests__/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-properties': 'off'
    }
  },
  {
    files: ['scripts/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: Object.fromEntries(
        ['__dirname', 'console', 'module', 'process', 'require'].map(name => [
          name,
          'readonly'
        ])
      )
    }
  },
  prettier
);
