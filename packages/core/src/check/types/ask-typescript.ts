/** Asks the TypeScript of a project about a proposed state, in a process of its own. */

import type { CodeFinding } from '../../code/finding.ts';
import { sourceText } from '../../content/source-text.ts';
import type { OpenCopy } from '../../copy/copy.ts';
import type { Ports } from '../../io/ports.ts';
import type { ProgramResult } from '../../io/programs.ts';
import {
  type CheckerError,
  type CheckGroup,
  OUT_OF_MEMORY,
  type TypeCheckEvent,
  type TypeCheckRequest,
} from '../../io/type-checker.ts';
import { SavepointError } from '../../model/errors.ts';
import { bytesFromText, type TreePath, textFromBytes } from '../../model/names.ts';
import type { Finding } from '../check.ts';
import { compareFindings, type Renames } from '../compare.ts';
import { cleanMessage, type RunPaths, shownLine } from '../read/clean.ts';
import type { FoundTypeScript } from './find-typescript.ts';
import { FindingClasses, type KnownImports } from './finding-classes.ts';
import type { NewError } from './new-error.ts';
import { readEvent } from './read-event.ts';
import {
  type FilesOverDisk,
  isReadByCompilers,
  MAX_SOURCE_BYTES,
  type TypeFindings,
  type TypeLimits,
  type Unsaid,
  type UnsaidReason,
} from './type-findings.ts';

export interface ProposedTypes {
  readonly ports: Pick<Ports, 'programs' | 'typeChecker'>;
  /** Where the checker runs: a copy of the workspace, or its folder. It is not written to. */
  readonly place: Pick<OpenCopy, 'files' | 'seenAs' | 'command'>;
  /** Where both states differ from the place. */
  readonly base: FilesOverDisk;
  readonly proposed: FilesOverDisk;
  /** The files that differ between both states. */
  readonly changed: readonly TreePath[];
  /** The files that import them. They are checked next. */
  readonly importers: readonly TreePath[];
  /** What files import, as far as it is known: it tells causes from consequences. */
  readonly imports: KnownImports;
  readonly renames: Renames;
  readonly limits: TypeLimits;
  readonly signal?: AbortSignal;
  /** Receives the findings of each file as they are found. */
  readonly onFindings?: (findings: readonly CodeFinding[]) => void;
  /** Called when a group of files is checked. */
  readonly onGroup?: (group: CheckGroup) => void;
}

const TOOL = 'typescript';
const MAX_FINDINGS = 5_000;
/** The part of its memory that the heap may have. */
const HEAP_SHARE = 0.9;
const MB = 1024 ** 2;

/** A checker that cannot be asked, or does not end by itself, is a result and not an error. @throws SavepointError CANCELLED */
export async function askTypeScript(typescript: FoundTypeScript, wanted: ProposedTypes): Promise<TypeFindings> {
  const answer = new Answer(typescript, wanted);
  const program = wanted.ports.typeChecker?.start(wanted.limits.maxMemory * HEAP_SHARE, typescript.isNative) ?? null;
  const request = requestOf(typescript, wanted);
  if (program === null) return answer.without('not-available', 'This build of Savepoint cannot run type checkers.');
  if (request === null) {
    return answer.without(
      'too-large',
      `More than ${MAX_SOURCE_BYTES / MB} MB of source text differ from the files on disk.`,
    );
  }
  const { limits, place, signal } = wanted;
  const lines = new Lines((line) => answer.take(readEvent(line)));
  let ended: ProgramResult;
  try {
    ended = await wanted.ports.programs.run({
      ...place.command({ ...program, env: environment(limits) }),
      input: Buffer.from(JSON.stringify(request)),
      timeoutMs: limits.timeoutMs,
      maxMemory: limits.maxMemory,
      ...(signal === undefined ? {} : { signal }),
      onOutput: (part, name) => {
        if (name === 'stdout') lines.add(part);
      },
    });
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'IO') throw error;
    return answer.without('not-available', error.message);
  }
  if (signal?.aborted === true) throw new SavepointError('CANCELLED', 'The type check was cancelled.');
  return answer.complete(ended);
}

/** The checker gets no variables of the caller. */
function environment({ maxMemory }: TypeLimits): Readonly<Record<string, string>> {
  return { GOMEMLIMIT: `${Math.floor((maxMemory * HEAP_SHARE) / MB)}MiB` };
}

/** Returns null if it is too large. */
function requestOf(typescript: FoundTypeScript, wanted: ProposedTypes): TypeCheckRequest | null {
  const { place, limits } = wanted;
  let size = 0;
  const textsOf = (files: FilesOverDisk): Readonly<Record<string, string | null>> => {
    const texts: Record<string, string | null> = Object.create(null);
    for (const [path, bytes] of files) {
      // Compilers cannot be asked about names that are not text.
      const name = textFromBytes(path);
      if (name === null || !isReadByCompilers(name)) continue;
      size += name.length + (bytes?.length ?? 0);
      if (size > MAX_SOURCE_BYTES) break;
      texts[name] = bytes === null ? null : sourceText(bytes);
    }
    return texts;
  };
  const files = { base: textsOf(wanted.base), proposed: textsOf(wanted.proposed) };
  if (size > MAX_SOURCE_BYTES) return null;
  const named = (paths: readonly TreePath[]): readonly string[] => paths.flatMap((path) => textFromBytes(path) ?? []);
  return {
    root: textFromBytes(place.seenAs) ?? '',
    typescript: textFromBytes(typescript.folder) ?? '',
    configs: typescript.configs,
    files,
    changed: named(wanted.changed),
    importers: named(wanted.importers),
    renamed: Object.fromEntries([...wanted.renames].map(([before, after]) => [after, before])),
    timeoutMs: limits.timeoutMs,
    maxMemory: limits.maxMemory,
  };
}

/** Collects what the checker says. */
class Answer {
  readonly #typescript: FoundTypeScript;
  readonly #wanted: ProposedTypes;
  readonly #paths: RunPaths;
  readonly #classes: FindingClasses;
  readonly #findings: CodeFinding[] = [];
  readonly #checked: Partial<Record<CheckGroup, number>> = {};
  readonly #unsaid: Unsaid[] = [];
  /** The same error of a file that belongs to several projects counts once. */
  readonly #seen = new Set<string>();
  #omitted = 0;
  #hasEnded = false;
  #hasFailed = false;

  constructor(typescript: FoundTypeScript, wanted: ProposedTypes) {
    this.#typescript = typescript;
    this.#wanted = wanted;
    const { files, seenAs } = wanted.place;
    const roots = [...new Set([seenAs, files])].flatMap((path) => textFromBytes(path) ?? []);
    this.#paths = { roots: roots.filter((root) => root !== '/'), folder: '' };
    this.#classes = new FindingClasses(wanted.imports);
  }

  take(event: TypeCheckEvent | null): void {
    switch (event?.kind) {
      case 'file':
        this.#takeFile(event.file, event.proposed, event.base);
        break;
      case 'group':
        this.#checked[event.group] = event.files;
        this.#wanted.onGroup?.(event.group);
        break;
      case 'problem': {
        const path = event.config === null ? this.#typescript.folder : (bytesFromText(event.config) as TreePath);
        if (event.reason !== 'broken-config') this.#hasFailed = true;
        this.#note(event.reason, path, shownLine(event.message, this.#paths));
        break;
      }
      case 'end':
        this.#hasEnded = true;
        break;
    }
  }

  complete(ended: ProgramResult): TypeFindings {
    if (!this.#hasEnded && !this.#hasFailed) {
      const { reason, message } = whyEnded(ended, this.#wanted.limits);
      this.#note(reason, this.#typescript.folder, shownLine(message, this.#paths));
    }
    return {
      findings: this.#findings,
      omitted: this.#omitted,
      checked: this.#checked,
      unsaid: this.#unsaid,
    };
  }

  without(reason: UnsaidReason, message: string): TypeFindings {
    this.#note(reason, this.#typescript.folder, message);
    return { findings: [], omitted: 0, checked: {}, unsaid: this.#unsaid };
  }

  #note(reason: UnsaidReason, path: TreePath, message: string): void {
    this.#unsaid.push({ reason, tool: TOOL, path, message });
  }

  #takeFile(file: string, proposed: readonly CheckerError[], base: readonly CheckerError[]): void {
    const path = bytesFromText(file) as TreePath;
    const before = [...this.#wanted.renames].find(([, after]) => after === file)?.[0] ?? file;
    const errors = new Map(proposed.map((error) => [this.#findingOf(file, error), error]));
    const old = base.map((error) => this.#findingOf(before, error));
    const added = compareFindings([...errors.keys()], old, this.#wanted.renames).added;
    const found = added.flatMap((finding): readonly NewError[] => {
      const error = errors.get(finding);
      const key = JSON.stringify([file, error?.line, finding.rule, finding.message, error?.text]);
      if (error === undefined || this.#seen.has(key)) return [];
      this.#seen.add(key);
      const related = error.related.map((one) => ({ ...one, path: bytesFromText(one.file) as TreePath }));
      return [{ ...error, path, related, message: shownLine(error.message, this.#paths) }];
    });
    const room = MAX_FINDINGS - this.#findings.length;
    this.#omitted += Math.max(0, found.length - room);
    if (found.length === 0 || room <= 0) return;
    const classed = this.#classes.add(path, found.slice(0, room));
    this.#findings.push(...classed);
    this.#wanted.onFindings?.(classed);
  }

  #findingOf(path: string, { code, message }: CheckerError): Finding {
    return { tool: TOOL, path, rule: code, message: cleanMessage(message, this.#paths), shown: message };
  }
}

function whyEnded(
  { ended, exceededMemory, exit, stderr }: ProgramResult,
  { timeoutMs, maxMemory }: TypeLimits,
): { readonly reason: UnsaidReason; readonly message: string } {
  const errors = stderr.toString('utf8');
  if (exceededMemory === true || errors.includes(OUT_OF_MEMORY) || /heap out of memory/.test(errors)) {
    const message = `The type checker was killed because it needed more than ${Math.round(maxMemory / MB)} MB of memory.`;
    return { reason: 'out-of-memory', message };
  }
  if (ended === 'timeout') {
    const seconds = Math.round(timeoutMs / 100) / 10;
    return { reason: 'timed-out', message: `The type checker was killed after ${seconds} s.` };
  }
  if (ended === 'too-much')
    return { reason: 'crashed', message: 'The type checker was killed because it printed too much.' };
  const last = errors.split('\n').findLast((line) => /error/i.test(line)) ?? '';
  const status = exit === null ? 'a signal ended it' : `exit status ${exit}`;
  return { reason: 'crashed', message: `The type checker did not finish (${status}). ${last}`.trim() };
}

/** Splits the output into lines. */
class Lines {
  readonly #take: (line: string) => void;
  #parts: Buffer[] = [];

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  add(part: Buffer): void {
    let rest = part;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      this.#take(Buffer.concat([...this.#parts, rest.subarray(0, end)]).toString('utf8'));
      this.#parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#parts.push(rest);
  }
}
