/**
 * Splits a unified diff of many files, in git's format or that of `diff -u`, into the changes of each file. What it cannot
 * do as edits is refused with the reason and the line: copies, binary patches, links and submodules. Paths are not judged
 * here.
 */

import { unescapeBytes } from '../content/c-quote.ts';
import { bytesFromText } from '../model/names.ts';
import { editRefusal } from './failures.ts';

/** What a patch does to one file. */
export interface PatchedFile {
  /** Its name before; that of a new file. One character per byte. */
  readonly path: string;
  /** Its name after, if that differs. */
  readonly to: string | null;
  readonly kind: 'change' | 'create' | 'delete';
  /** Whether the owner may run it afterwards; null: as before. */
  readonly executable: boolean | null;
  /** A patch of this file only, without names; null: its content stays. */
  readonly patch: string | null;
  /** The line of the patch at which this file starts, counted from 1. */
  readonly line: number;
}

/** @throws EditRefusedError BAD_PATCH */
export function filesOfPatch(text: string): readonly PatchedFile[] {
  const lines = (text.includes('\r\n') && !/[^\r]\n/.test(text) ? text.replaceAll('\r\n', '\n') : text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return new PatchSplitter(lines).split();
}

const MAX_FILES = 20_000;
const NO_FILE = '/dev/null';
const HUNK = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;
const MODE = /^(old|new) mode (\d{6})$/;
const FILE_MODE = /^(new|deleted) file mode (\d{6})$/;
const NAME = /^(rename|copy) (from|to) (.*)$/s;
const IGNORED = /^(?:index |similarity index |dissimilarity index |# |Index: |={10,}$)/;
/** Prefixes of git's names, also those of `diff.mnemonicPrefix`. */
const PREFIX = /^[abciow]\//;

interface Section {
  readonly line: number;
  /** Of the line `diff --git`, if both are the same. */
  readonly name: string | null;
  readonly isGit: boolean;
  old: string | null;
  new: string | null;
  from: string | null;
  to: string | null;
  kind: 'change' | 'create' | 'delete';
  executable: boolean | null;
  readonly hunks: string[];
}

class PatchSplitter {
  #at = 0;
  readonly #lines: readonly string[];

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  split(): readonly PatchedFile[] {
    const sections: Section[] = [];
    while (this.#at < this.#lines.length) {
      const line = this.#line();
      if (line.startsWith('diff --git ')) sections.push(this.#gitSection(line));
      else if (this.#isNames()) sections.push(this.#section(newSection(this.#at + 1, null, false)));
      else if (HUNK.test(line)) throw this.#error('This hunk does not follow the name of a file.');
      else this.#at++;
      if (sections.length > MAX_FILES) {
        throw this.#error(`It is for more than ${MAX_FILES} files.`);
      }
    }
    if (sections.length === 0)
      throw badPatch(1, 'There is no file in it. It must be a unified diff, such as that of `git diff`.');
    const hasPrefixes = sections.every(namesArePrefixed);
    return sections.map((section) => finished(section, hasPrefixes));
  }

  #gitSection(line: string): Section {
    const section = newSection(this.#at + 1, sameName(line.slice('diff --git '.length)), true);
    this.#at++;
    return this.#section(section);
  }

  #section(section: Section): Section {
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#line();
      if (line.startsWith('@@')) {
        if (section.old === null)
          throw this.#error('The names of the file (`--- a/…`, `+++ b/…`) must come before its hunks.');
        this.#hunks(section);
        return section;
      }
      if (section.isGit && line.startsWith('diff --git ')) return section;
      if (this.#isNames()) {
        if (section.old !== null) return section;
        section.old = unquoted(line.slice(4), this.#at + 1);
        section.new = unquoted(this.#line(1).slice(4), this.#at + 2);
        this.#at++;
      } else if (!this.#headerLine(section, line)) return section;
    }
    return section;
  }

  /** @returns false: the section ends here */
  #headerLine(section: Section, line: string): boolean {
    if (/^GIT binary patch$|^(?:Binary files|Files) .* differ$/.test(line)) {
      throw this.#error('This part is of a binary file. Give its content as an edit instead.');
    }
    const mode = MODE.exec(line) ?? FILE_MODE.exec(line);
    if (mode !== null) {
      const [, what, digits] = mode;
      if (!/^100(?:644|755|664)$/.test(digits!)) {
        throw this.#error(
          digits === '120000'
            ? 'This part is of a symbolic link, which an edit cannot make or change.'
            : digits === '160000'
              ? 'This part is of a submodule. Change the submodule itself.'
              : `The mode ${digits} is not that of a file.`,
        );
      }
      if (what === 'new') section.executable = digits === '100755';
      if (FILE_MODE.test(line)) section.kind = what === 'new' ? 'create' : 'delete';
      return true;
    }
    const name = NAME.exec(line);
    if (name !== null) {
      if (name[1] === 'copy')
        throw this.#error('This part copies a file. Create the new file with its content instead.');
      section[name[2] as 'from' | 'to'] = unquoted(name[3]!, this.#at + 1);
      return true;
    }
    return IGNORED.test(line) && section.isGit;
  }

  #hunks(section: Section): void {
    for (;;) {
      const line = this.#line();
      const header = HUNK.exec(line);
      if (header === null) {
        if (/^@@/.test(line)) throw this.#error('A hunk must start like `@@ -1,3 +1,4 @@`.');
        if (/^[ +-]/.test(line) && line !== '-- ' && !this.#isNames()) {
          throw this.#error('The hunk above has more lines than its header counts. Fix the counts.');
        }
        return;
      }
      const at = this.#at + 1;
      section.hunks.push(line);
      let [old, added] = [Number(header[1] ?? '1'), Number(header[2] ?? '1')];
      for (this.#at++; old > 0 || added > 0; this.#at++) {
        if (this.#at >= this.#lines.length) throw badPatch(at, 'The patch ends inside of this hunk.');
        const next = this.#line();
        const kind = next === '' ? ' ' : next[0];
        if (kind === ' ' || kind === '-') old--;
        if (kind === ' ' || kind === '+') added--;
        if (old < 0 || added < 0 || (kind !== ' ' && kind !== '-' && kind !== '+' && kind !== '\\')) {
          throw this.#error(
            `The hunk of line ${at} has a wrong number of lines, or a line without its first character.`,
          );
        }
        section.hunks.push(next);
      }
      if (this.#line().startsWith('\\ ')) section.hunks.push(this.#lines[this.#at++]!);
      if (this.#at >= this.#lines.length) return;
    }
  }

  #isNames(): boolean {
    return this.#line().startsWith('--- ') && this.#line(1).startsWith('+++ ');
  }

  #line(offset = 0): string {
    return this.#lines[this.#at + offset] ?? '';
  }

  #error(message: string) {
    return badPatch(this.#at + 1, message);
  }
}

function newSection(line: number, name: string | null, isGit: boolean): Section {
  return {
    line,
    name,
    isGit,
    old: null,
    new: null,
    from: null,
    to: null,
    kind: 'change',
    executable: null,
    hunks: [],
  };
}

function namesArePrefixed({ old, new: now, name }: Section): boolean {
  return [old, now, name].every((one) => one === null || one === NO_FILE || PREFIX.test(one));
}

function finished(section: Section, hasPrefixes: boolean): PatchedFile {
  const { line, from, to, hunks, executable } = section;
  const bare = (name: string): string => (hasPrefixes ? name.slice(2) : name);
  const old = section.old ?? section.name;
  const now = section.new ?? section.name;
  if ((from === null) !== (to === null)) throw badPatch(line, 'A rename needs both names.');
  const isNew = old === NO_FILE || section.kind === 'create';
  const isGone = now === NO_FILE || section.kind === 'delete';
  if (isNew && isGone) throw badPatch(line, 'A file cannot be both new and deleted.');
  const kind = isNew ? 'create' : isGone ? 'delete' : 'change';
  if (from !== null && kind !== 'change') throw badPatch(line, 'A renamed file cannot be new or deleted as well.');
  const before = from ?? (old === null || old === NO_FILE ? null : bare(old));
  const after = to ?? (now === null || now === NO_FILE ? null : bare(now));
  const path = before ?? after;
  if (path === null || path === '') throw badPatch(line, 'It has no name of a file.');
  // `diff -u` names copies as it likes, such as `a.txt.orig`.
  if (before !== null && after !== null && before !== after && from === null) {
    throw badPatch(line, 'The two names of this file differ, and it is not a rename in git’s format.');
  }
  if (kind === 'change' && hunks.length === 0 && from === null && executable === null) {
    throw badPatch(line, 'This part changes nothing.');
  }
  return {
    path,
    to: after !== null && after !== path ? after : null,
    kind,
    executable,
    patch: patchOf(kind, hunks, executable),
    line,
  };
}

function patchOf(kind: PatchedFile['kind'], hunks: readonly string[], executable: boolean | null): string | null {
  if (kind === 'change') return hunks.length === 0 ? null : `${hunks.join('\n')}\n`;
  const mode = executable === true ? '100755' : '100644';
  const header = kind === 'create' ? `new file mode ${mode}` : `deleted file mode ${mode}`;
  return `${[header, ...hunks].join('\n')}\n`;
}

/** `a/x b/x`: without a rename, both are the same, and neither says where the other starts. */
function sameName(text: string): string | null {
  if (text.startsWith('"')) {
    const first = /^"(?:[^"\\]|\\.)*"/s.exec(text)?.[0];
    return first === undefined ? null : unquoted(first, 0);
  }
  const middle = (text.length - 1) / 2;
  const [first, second] = [text.slice(0, middle), text.slice(middle + 1)];
  const isSame = text[middle] === ' ' && first.replace(PREFIX, '') === second.replace(PREFIX, '');
  return isSame ? bytesFromText(first) : null;
}

function unquoted(given: string, line: number): string {
  if (!given.startsWith('"')) return bytesFromText(given.replace(/\t.*$/s, ''));
  const inner = /^"((?:[^"\\]|\\(?:[0-3][0-7]{2}|[abfnrtv"\\]))*)"/s.exec(given)?.[1];
  if (inner === undefined) throw badPatch(line, 'The name is not quoted as git does it.');
  return unescapeBytes(bytesFromText(inner));
}

function badPatch(line: number, message: string) {
  return editRefusal('BAD_PATCH', `Line ${line} of the patch: ${message}`, { line });
}
