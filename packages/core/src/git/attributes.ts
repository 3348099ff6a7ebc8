/**
 * Which files git may convert between the working folder and a commit, so that their bytes prove nothing.
 *
 * The safe direction is to say that a file may be converted: a pattern counts even where a later one takes it back,
 * and attributes that cannot be made out count for every file. The person's and the system's own attribute files are
 * not read.
 */
import ignore, { type Ignore } from 'ignore';
import type { Fs } from '../io/fs.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import { problemOf, readGitFile } from './file.ts';
import { readIgnoreLines } from './ignore-lines.ts';

export interface Conversion {
  /** By a program, an encoding or keywords: any bytes may stand for any content. */
  readonly content: boolean;
  /** Ends of lines. */
  readonly lines: boolean;
}

const FILE_BYTES = 1024 * 1024;
const PATTERN_BUDGET = { patterns: 2_000, slow: 16 };
const CONTENT = /^(?:filter|working-tree-encoding)=|^ident$/;
const LINES = /^(?:text|crlf|eol)(?:=|$)/;

/** Of one file: which paths, from its folder, may be converted. Null: none. */
export interface AttributeRules {
  readonly content: Ignore | 'all' | null;
  readonly lines: Ignore | 'all' | null;
}

export const ANY_CONVERSION: AttributeRules = { content: 'all', lines: 'all' };

interface FileRules extends AttributeRules {
  /** From the repository's folder; ends in `/` unless empty. */
  readonly folder: string;
}

export class Attributes {
  readonly #files: FileRules[] = [];

  /** @param file an attribute file, which may not be there @param folder what its patterns are relative to */
  add(fs: Fs, file: DiskPath, folder: TreePath): void {
    const rules = attributeRules(fs, file);
    if (rules !== null) this.#files.push({ ...rules, folder: folder === '' ? '' : `${folder}/` });
  }

  /** Attributes stand where they are not looked for: any file may be converted. */
  addUnknown(): void {
    this.#files.push({ ...ANY_CONVERSION, folder: '' });
  }

  /** @param path from the repository's folder */
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

/** @returns null where the file is not there, or converts nothing */
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
    // A name for other attributes, a pattern in quotes, one that git forbids: all are rare, and not worth a parser.
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
