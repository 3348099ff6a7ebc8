/**
 * Finds the files that git may convert between the working tree and a commit. Their bytes prove nothing.
 *
 * Errs towards reporting a conversion. A pattern counts even if a later one reverts it, and attributes that cannot be
 * parsed apply to every file. The attribute files of the user and the system are not read.
 */
import ignore, { type Ignore } from 'ignore';
import type { Fs } from '../io/fs.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import { problemOf, readGitFile } from './file.ts';
import { readIgnoreLines } from './ignore-lines.ts';

export interface Conversion {
  /** Converted by a filter, an encoding or keywords: the bytes on disk say nothing about the content. */
  readonly content: boolean;
  /** Converted line endings. */
  readonly lines: boolean;
}

const FILE_BYTES = 1024 * 1024;
const PATTERN_BUDGET = { patterns: 2_000, slow: 16 };
const CONTENT = /^(?:filter|working-tree-encoding)=|^ident$/;
const LINES = /^(?:text|crlf|eol)(?:=|$)/;

/** The rules of one attribute file: patterns of paths, relative to its folder, that may be converted. Null: none. */
export interface AttributeRules {
  readonly content: Ignore | 'all' | null;
  readonly lines: Ignore | 'all' | null;
}

export const ANY_CONVERSION: AttributeRules = { content: 'all', lines: 'all' };

interface FileRules extends AttributeRules {
  /** Relative to the repository's folder. Ends in `/` unless empty. */
  readonly folder: string;
}

export class Attributes {
  readonly #files: FileRules[] = [];

  /** @param file an attribute file, which may be absent @param folder what its patterns are relative to */
  add(fs: Fs, file: DiskPath, folder: TreePath): void {
    const rules = attributeRules(fs, file);
    if (rules !== null) this.#files.push({ ...rules, folder: folder === '' ? '' : `${folder}/` });
  }

  /** Call this if attributes exist in a place that is not read: any file may be converted. */
  addUnknown(): void {
    this.#files.push({ ...ANY_CONVERSION, folder: '' });
  }

  /** @param path relative to the repository's folder */
  of(path: TreePath): Conversion {
    const applicable = this.#files.filter(({ folder }) => path.startsWith(folder));
    const matches = (which: keyof AttributeRules): boolean =>
      applicable.some((file) => {
        const rules = file[which];
        return rules === 'all' || rules?.ignores(path.slice(file.folder.length));
      });
    return { content: matches('content'), lines: matches('lines') };
  }
}

/** @returns null if the file is absent or converts nothing */
export function attributeRules(fs: Fs, file: DiskPath): AttributeRules | null {
  let text: string | undefined;
  try {
    text = readGitFile(fs, file, FILE_BYTES)?.toString('latin1');
  } catch (error) {
    problemOf(error);
    return ANY_CONVERSION;
  }
  if (text === undefined) return null;
  const content: string[] = [];
  const lines: string[] = [];
  for (const line of text.replace(/^\xef\xbb\xbf/, '').split('\n')) {
    const trimmed = line.replace(/^[ \t]+/, '');
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    // Macros, quoted patterns and patterns that git forbids are too rare to be worth a parser.
    if (/^(?:\[attr\]|["!])/.test(trimmed)) return ANY_CONVERSION;
    const [pattern = '', ...attributes] = trimmed.split(/[ \t\r]+/);
    if (attributes.some((attribute) => CONTENT.test(attribute))) content.push(pattern);
    if (attributes.some((attribute) => LINES.test(attribute))) lines.push(pattern);
  }
  return content.length + lines.length === 0 ? null : { content: matcher(content), lines: matcher(lines) };
}

function matcher(patterns: readonly string[]): AttributeRules['content'] {
  if (patterns.length === 0) return null;
  const read = readIgnoreLines(Buffer.from(`${patterns.join('\n')}\n`, 'latin1'), PATTERN_BUDGET);
  if (read.problems.length > 0) return 'all';
  return ignore({ ignorecase: true, allowRelativePaths: true }).add(read.patterns.join('\n'));
}
