/** The table of tools that are found by their files: how each is recognised, what it runs, and what it prints. */

import type { CheckKind, OutputFormat } from '../../config/check-settings.ts';
import { OUTPUT_FILE } from '../check.ts';

export type Ecosystem = 'javascript' | 'python' | 'go' | 'rust';

export interface ToolRow {
  readonly tool: string;
  readonly ecosystem: Ecosystem;
  readonly kind: CheckKind;
  readonly signs: Signs;
  /** The program, if it is not named like the tool. */
  readonly program?: string;
  readonly args: readonly string[];
  readonly format: OutputFormat;
  /** For tools that a plain script of `package.json` runs: its arguments are kept. */
  readonly script?: ScriptUse;
  /** Files that can name commands or plug-ins which the tool runs. */
  readonly definedBy?: readonly string[];
  /** A folder with the tool does not check projects in folders below it. */
  readonly isPerFolder?: boolean;
}

/** One of these is enough. */
export interface Signs {
  /** Files in the folder. */
  readonly files?: readonly string[];
  /** A package that `package.json` depends on. */
  readonly dependency?: string;
  /** A pattern in a file. */
  readonly text?: readonly (readonly [file: string, pattern: RegExp])[];
  /** A pattern of a file name in a folder. */
  readonly below?: readonly (readonly [folder: string, name: RegExp])[];
}

export interface ScriptUse {
  /** The names of scripts, in the order in which they are considered. */
  readonly names: readonly string[];
  /** The words that the script must begin with. */
  readonly begins: readonly string[];
  /** An argument that the script must have, so that it only checks. */
  readonly needs?: RegExp;
  /** Arguments that are left out. */
  readonly without: RegExp;
}

const TEST_SCRIPTS = ['test', 'tests', 'test:unit', 'unit'];
const LINT_SCRIPTS = ['lint', 'lint:js', 'eslint', 'biome'];
const TYPE_SCRIPTS = ['typecheck', 'type-check', 'check-types', 'check:types', 'lint:types', 'types', 'tsc'];

const ESLINT_FILES = [
  ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((end) => `eslint.config.${end}`),
  ...['', '.js', '.cjs', '.json', '.yml', '.yaml'].map((end) => `.eslintrc${end}`),
];
const CONFIG_ENDS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'];

export const TOOLS: readonly ToolRow[] = [
  {
    tool: 'tsc',
    ecosystem: 'javascript',
    kind: 'types',
    signs: { files: ['tsconfig.json'] },
    args: ['-p', 'tsconfig.json', '--noEmit', '--pretty', 'false'],
    format: 'tsc',
    script: {
      names: TYPE_SCRIPTS,
      begins: ['tsc'],
      needs: /^(?:--noEmit|-b|--build)$/,
      without: /^(?:-w|--watch|--pretty|--preserveWatchOutput)$/,
    },
  },
  {
    tool: 'biome',
    ecosystem: 'javascript',
    kind: 'lint',
    signs: { files: ['biome.json', 'biome.jsonc', '.biome.json', '.biome.jsonc'] },
    args: ['lint', '--reporter=json', '--max-diagnostics=none', '.'],
    format: 'biome',
  },
  {
    tool: 'eslint',
    ecosystem: 'javascript',
    kind: 'lint',
    signs: { files: ESLINT_FILES, text: [['package.json', /"eslintConfig"\s*:/]] },
    args: ['.', '-f', 'json', '-o', OUTPUT_FILE],
    format: 'eslint',
    script: { names: LINT_SCRIPTS, begins: ['eslint'], without: /^(?:--fix|--cache|--color)$/ },
  },
  {
    tool: 'vitest',
    ecosystem: 'javascript',
    kind: 'tests',
    signs: { files: CONFIG_ENDS.map((end) => `vitest.config.${end}`), dependency: 'vitest' },
    args: ['run', '--coverage.enabled=false', '--reporter=json', `--outputFile=${OUTPUT_FILE}`],
    format: 'test-json',
    script: {
      names: TEST_SCRIPTS,
      begins: ['vitest'],
      without: /^(?:run|watch|dev|--run|--watch|-w|--ui|--coverage(?:[.=].*)?|--reporter=.*|--outputFile.*)$/,
    },
  },
  {
    tool: 'jest',
    ecosystem: 'javascript',
    kind: 'tests',
    signs: { files: [...CONFIG_ENDS, 'json'].map((end) => `jest.config.${end}`), dependency: 'jest' },
    args: ['--ci', '--coverage=false', '--json', `--outputFile=${OUTPUT_FILE}`],
    format: 'test-json',
    script: {
      names: TEST_SCRIPTS,
      begins: ['jest'],
      without: /^(?:--watch|--watchAll|--ci|--coverage(?:=.*)?|--verbose|--json|--outputFile.*|-o|--onlyChanged)$/,
    },
  },
  {
    tool: 'node-test',
    ecosystem: 'javascript',
    kind: 'tests',
    signs: {},
    program: 'node',
    args: ['--test-reporter=junit', `--test-reporter-destination=${OUTPUT_FILE}`],
    format: 'junit',
    script: {
      names: TEST_SCRIPTS,
      begins: ['node', '--test'],
      without: /^(?:--watch|--experimental-test-coverage|--test-reporter(?:-destination)?=.*)$/,
    },
  },
  {
    tool: 'ruff',
    ecosystem: 'python',
    kind: 'lint',
    signs: { files: ['ruff.toml', '.ruff.toml'], text: [['pyproject.toml', /^\[tool\.ruff[\].]/m]] },
    args: ['check', '--no-cache', '--output-format', 'json', '--output-file', OUTPUT_FILE, '.'],
    format: 'ruff',
  },
  {
    tool: 'mypy',
    ecosystem: 'python',
    kind: 'types',
    signs: {
      files: ['mypy.ini', '.mypy.ini'],
      text: [
        ['pyproject.toml', /^\[tool\.mypy\]/m],
        ['setup.cfg', /^\[mypy\]/m],
      ],
    },
    args: ['--no-error-summary', '--output', 'json', '.'],
    format: 'mypy',
    definedBy: ['mypy.ini', '.mypy.ini', 'pyproject.toml', 'setup.cfg'],
  },
  {
    tool: 'pyright',
    ecosystem: 'python',
    kind: 'types',
    signs: {
      files: ['pyrightconfig.json'],
      dependency: 'pyright',
      text: [
        ['pyproject.toml', /^\[tool\.pyright\]|^[ \t]*["']?pyright\b/m],
        ['requirements-dev.txt', /^pyright\b/m],
        ['requirements.txt', /^pyright\b/m],
      ],
    },
    args: ['--outputjson'],
    format: 'pyright',
  },
  {
    tool: 'pytest',
    ecosystem: 'python',
    kind: 'tests',
    signs: {
      files: ['pytest.ini', '.pytest.ini', 'conftest.py'],
      text: [
        ['pyproject.toml', /^\[tool\.pytest\b|^[ \t]*["']?pytest\b/m],
        ['setup.cfg', /^\[tool:pytest\]/m],
        ['tox.ini', /^\[pytest\]/m],
        ['requirements-dev.txt', /^pytest\b/m],
        ['requirements.txt', /^pytest\b/m],
      ],
      below: [['tests', /^(?:test_.*|.*_test|conftest)\.py$/]],
    },
    // Otherwise a file that cannot be imported hides the results of all others.
    args: [
      '--continue-on-collection-errors',
      '-p',
      'no:cacheprovider',
      '-o',
      'junit_family=xunit1',
      `--junitxml=${OUTPUT_FILE}`,
    ],
    format: 'junit',
    definedBy: ['pytest.ini', '.pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini'],
  },
  {
    tool: 'go-vet',
    ecosystem: 'go',
    kind: 'lint',
    signs: { files: ['go.mod'] },
    program: 'go',
    args: ['vet', './...'],
    format: 'go-vet',
    definedBy: ['go.mod'],
    isPerFolder: true,
  },
  {
    tool: 'go-test',
    ecosystem: 'go',
    kind: 'tests',
    signs: { files: ['go.mod'] },
    program: 'go',
    args: ['test', '-json', './...'],
    format: 'go-test',
    definedBy: ['go.mod'],
    isPerFolder: true,
  },
  {
    tool: 'cargo-check',
    ecosystem: 'rust',
    kind: 'types',
    signs: { files: ['Cargo.toml'] },
    program: 'cargo',
    args: ['check', '--workspace', '--all-targets', '--message-format', 'json'],
    format: 'cargo',
    definedBy: ['.cargo/config.toml', '.cargo/config', 'rust-toolchain', 'rust-toolchain.toml'],
  },
  {
    tool: 'cargo-test',
    ecosystem: 'rust',
    kind: 'tests',
    signs: { files: ['Cargo.toml'] },
    program: 'cargo',
    args: ['test', '--workspace', '--no-fail-fast', '--message-format', 'json'],
    format: 'cargo',
    definedBy: ['.cargo/config.toml', '.cargo/config', 'rust-toolchain', 'rust-toolchain.toml'],
  },
];

/** Scripts of `package.json` and targets of a `Makefile` that are checks of their own. */
export const NAMED_CHECKS: readonly (readonly [name: string, kind: CheckKind])[] = [
  ['check', 'lint'],
  ...LINT_SCRIPTS.map((name) => [name, 'lint'] as const),
  ...TYPE_SCRIPTS.map((name) => [name, 'types'] as const),
  ...TEST_SCRIPTS.map((name) => [name, 'tests'] as const),
  ['build', 'build'],
];
