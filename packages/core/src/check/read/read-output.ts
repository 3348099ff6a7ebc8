/** The table of readers, and what a run means. */

import type { CheckKind, OutputFormat } from '../../config/check-settings.ts';
import type { Outcome } from '../../model/check-outcome.ts';
import type { Finding } from '../check.ts';
import { readCargo, readGoVet, readTsc } from './compilers.ts';
import { readLines } from './lines.ts';
import { readBiome, readEslint, readMypy, readPyright, readRuff } from './linters.ts';
import type { Reader, RunOutput } from './reading.ts';
import { readGoTest, readJunit, readTestJson } from './tests.ts';

export interface Verdict {
  readonly outcome: Extract<Outcome, 'passed' | 'failed' | 'crashed' | 'collected-nothing' | 'not-installed'>;
  readonly why: string | null;
  readonly findings: readonly Finding[];
  readonly omitted: number;
}

const READERS: Readonly<Record<OutputFormat, Reader>> = {
  tsc: readTsc,
  eslint: readEslint,
  biome: readBiome,
  'test-json': readTestJson,
  ruff: readRuff,
  mypy: readMypy,
  pyright: readPyright,
  junit: readJunit,
  'go-vet': readGoVet,
  'go-test': readGoTest,
  cargo: readCargo,
  lines: readLines,
};

/** The status with which a shell says that it did not find a program. */
const NOT_FOUND = 127;
/** pytest: no tests were collected. */
const NO_TESTS: Readonly<Partial<Record<string, number>>> = { pytest: 5 };

/** What a run that ended by itself means. Never "passed" in doubt. */
export function verdictOf(
  check: { readonly format: OutputFormat; readonly kind: CheckKind },
  output: RunOutput,
): Verdict {
  const { exit, tool } = output;
  const nothing = { findings: [], omitted: 0 };
  if (exit === NOT_FOUND) {
    return { outcome: 'not-installed', why: 'a program that it runs was not found (exit status 127)', ...nothing };
  }
  const { findings, omitted, ran, isReadable } = READERS[check.format](output);
  if (findings.length > 0) return { outcome: 'failed', why: null, findings, omitted };
  const isWithoutTests = ran === 0 || (NO_TESTS[tool] === exit && ran === null);
  if (isReadable && check.kind === 'tests' && isWithoutTests) {
    return { outcome: 'collected-nothing', why: 'it ran no tests', ...nothing };
  }
  if (exit !== 0)
    return { outcome: 'crashed', why: `it ended with exit status ${exit} and named no failure`, ...nothing };
  if (!isReadable) return { outcome: 'crashed', why: 'its output cannot be read', ...nothing };
  return { outcome: 'passed', why: null, ...nothing };
}
