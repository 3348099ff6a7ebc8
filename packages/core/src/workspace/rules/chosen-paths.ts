/** Paths that the settings include or exclude, whatever the ignore files say. */

import { createHash } from 'node:crypto';
import ignore, { type Ignore } from 'ignore';
import { readIgnoreLines } from '../../git/ignore-lines.ts';
import type { CaptureRules } from '../../model/checkpoint.ts';
import { bytesFromText, type TreePath } from '../../model/names.ts';

const BUDGET = { patterns: 10_000, slow: 64 };

export class ChosenPaths {
  /** Equal keys give equal results. '' if there are no patterns. */
  readonly key: string;
  readonly #include: Ignore | null;
  readonly #exclude: Ignore | null;

  constructor({ include, exclude }: CaptureRules) {
    this.#include = matcher(include ?? []);
    this.#exclude = matcher(exclude ?? []);
    const patterns = JSON.stringify([include ?? [], exclude ?? []]);
    this.key = patterns === '[[],[]]' ? '' : createHash('sha256').update(patterns).digest('hex').slice(0, 16);
  }

  /** Whether the settings include the path or a folder above it, overriding all rules. */
  includes(path: TreePath, isFolder: boolean): boolean {
    return covers(this.#include, path, isFolder);
  }

  excludes(path: TreePath, isFolder: boolean): boolean {
    return covers(this.#exclude, path, isFolder);
  }
}

function covers(patterns: Ignore | null, path: TreePath, isFolder: boolean): boolean {
  return patterns !== null && path !== '' && patterns.ignores(isFolder ? `${path}/` : path);
}

/**
 * Patterns and paths are one-byte strings. Patterns that are too complex to match are dropped: a dropped `exclude`
 * pattern captures more, a dropped `include` pattern less.
 */
function matcher(patterns: readonly string[]): Ignore | null {
  if (patterns.length === 0) return null;
  const lines = readIgnoreLines(Buffer.from(bytesFromText(`${patterns.join('\n')}\n`), 'latin1'), BUDGET);
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(lines.patterns.join('\n'));
}
