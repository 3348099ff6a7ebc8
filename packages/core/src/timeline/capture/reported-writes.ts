/**
 * Compares what file tools report to have written with what a capture found. A tool that wrote exactly the found content
 * is surely its author. Where more differs, the rest is by somebody else: it was written before the tool read the file,
 * or after the tool wrote it.
 */

import { isUtf8 } from 'node:buffer';
import { diffLines, type Hunk, LINE_BOUND } from '../../content/line-diff.ts';
import type { Entry, Snapshot } from '../../model/entries.ts';
import { sameEntry } from '../../model/entries.ts';
import { pathComponents, type TreePath } from '../../model/names.ts';
import {
  type ReportedWrite,
  replaceText,
  type TextReplacement,
  textBeforeReplacing,
} from '../../model/reported-write.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import {
  cachedFolderReader,
  type FolderReader,
  type FolderRef,
  readBlob,
  rootOf,
} from '../../store/snapshot/snapshot.ts';
import type { OpenCall } from '../../store/state/open-calls.ts';
import { stateAt } from '../diff/snapshot-diff.ts';

/** A path that a file tool wrote, as its report and the capture agree. */
export interface ProvenWrite {
  readonly path: TreePath;
  readonly call: OpenCall;
  /** In the last checkpoint. */
  readonly old: Entry | null;
  /** What the tool found. It differs from the last checkpoint if somebody else wrote the path first. */
  readonly found: Entry | null;
  /** What the tool wrote. It differs from the captured state if somebody else wrote the path afterwards. */
  readonly written: Entry | null;
  /** In the captured state. */
  readonly current: Entry | null;
  readonly ignored: boolean;
  /** False if others may have changed between `found` and `written` what the tool is not known to have found. */
  readonly isSure: boolean;
}

export interface ReportEvidence {
  readonly proven: readonly ProvenWrite[];
  /** Paths whose captured content contradicts the report: the call did not write them, or not yet. */
  readonly contradicted: readonly ReportedPath[];
  /** Paths that changed without proof of who changed them, including the contradicted ones. */
  readonly doubted: readonly ReportedPath[];
}

interface ReportedPath {
  readonly path: TreePath;
  readonly call: OpenCall;
}

interface CallState {
  /** Its tool has written what it reports. Otherwise perhaps not yet. */
  readonly isEnded: boolean;
  /** An earlier capture may have found what it wrote, together with what others wrote. */
  readonly isDoubted: boolean;
  /** No capture ran right before it: others may have changed what it does not report to have found. */
  readonly isLate: boolean;
  /** Whether all files around the path are executable, as on file systems that store no permissions. */
  readonly areAllExecutable: () => boolean;
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const USUAL_MODE = 0o644;
const EXECUTABLE = 0o111;

/**
 * @param batch holds the contents of both states; receives contents that were on disk only between them
 * @param ended the call that has ended, so that its tool has written what it reports
 */
export function weighReports(
  batch: ObjectBatch,
  before: Snapshot,
  now: Snapshot,
  open: readonly OpenCall[],
  ended: OpenCall | null,
): ReportEvidence {
  const proven: ProvenWrite[] = [];
  const contradicted: ReportedPath[] = [];
  const doubted: ReportedPath[] = [];
  const read = cachedFolderReader(batch);
  const seen = new Set<TreePath>();
  const able = open.filter(({ waiting, failed }) => waiting !== 'surely' && failed !== true);
  for (const call of able) {
    for (const write of call.writes ?? []) {
      const { path } = write;
      const [old, current] = [stateAt(read, before, path), stateAt(read, now, path)];
      if (old.skip !== null || current.skip !== null || sameEntry(old.entry, current.entry)) continue;
      // Several reports of one path between two captures: no order of them is known.
      const isAlone = !seen.has(path) && !isReportedElsewhere(able, call, path);
      seen.add(path);
      const known = {
        isEnded: call === ended,
        isDoubted: call.doubted?.includes(path) === true,
        isLate: call.late,
        areAllExecutable: () => areAllExecutable(read, before, path),
      };
      // A damaged content cannot be compared either. The line counts of the checkpoint report it.
      const states = isAlone
        ? unlessDamaged(undefined, () => statesOf(batch, write, old.entry, current.entry, known))
        : null;
      if (states === 'contradicted') contradicted.push({ path, call });
      // It may have been refused, and a person may have typed what it proposed.
      const isRefusable = call.waiting !== undefined;
      if (states === 'contradicted' || states === null || isRefusable) doubted.push({ path, call });
      else {
        const { entry, ignored } = current;
        const isSure = states.isSure && write.changedByUser !== true && hasSameForm(batch, old.entry, current.entry);
        proven.push({ path, call, old: old.entry, ...states, current: entry, ignored, isSure });
      }
    }
  }
  // Some tools report a failure although they wrote, because somebody else saved the file right afterwards.
  for (const call of open.filter(({ failed }) => failed === true)) {
    for (const write of call.writes ?? []) {
      const { path } = write;
      const [old, current] = [stateAt(read, before, path), stateAt(read, now, path)];
      const mayHold = unlessDamaged(undefined, () => holdsAnyOf(batch, write, old.entry, current.entry)) ?? true;
      if (!mayHold || seen.has(path)) contradicted.push({ path, call });
      doubted.push({ path, call });
    }
  }
  return { proven, contradicted, doubted };
}

function isReportedElsewhere(open: readonly OpenCall[], call: OpenCall, path: TreePath): boolean {
  return open.some((other) => other !== call && other.writes?.some((write) => write.path === path) === true);
}

type WriteStates = Pick<ProvenWrite, 'found' | 'written' | 'isSure'>;

/** Returns null if the report and the contents cannot be compared. */
function statesOf(
  batch: ObjectBatch,
  { found: reportedFound, result }: ReportedWrite,
  old: Entry | null,
  current: Entry | null,
  { isEnded, isDoubted: isDoubtedBefore, isLate, areAllExecutable }: CallState,
): WriteStates | 'contradicted' | null {
  const [oldText, currentText] = [textOf(batch, old), textOf(batch, current)];
  if (oldText === undefined || currentText === undefined) return null;
  const foundText = reportedFound === undefined ? oldText : reportedFound;
  const isFoundOld = isSameState(foundText, oldText);
  const isFoundKnown = reportedFound !== undefined;
  const isDoubted = isDoubtedBefore || (isLate && !isFoundKnown);
  // File tools keep the mode of a file, and make no new file executable, so somebody else changed it.
  const mode = foundText === null || old?.kind !== 'file' ? newFileMode(current, areAllExecutable) : old.mode;
  const fromTool = current?.kind === 'file' && current.mode !== mode ? { ...current, mode } : current;
  const entryWith = (text: string | null): Entry | null => {
    if (text === null) return null;
    if (currentText !== null && isSameText(text, currentText)) return fromTool;
    if (oldText !== null && isSameText(text, oldText)) return old;
    return {
      kind: 'file',
      mode,
      id: batch.add('blob', Buffer.from(withLineEndsOf(oldText ?? currentText ?? '', text))),
    };
  };
  const isSinceOld = isEnded && !isDoubted;
  if (result === null || typeof result === 'string') {
    // Only now, because it stores a content that is not on disk.
    const states = (): WriteStates => ({
      found: entryWith(foundText),
      written: entryWith(result),
      // Lines that are gone may have been removed by others, before the tool ran.
      isSure: isFoundKnown || keepsLines(foundText, result),
    });
    if (isSinceOld) return states();
    if (!isSameState(result, currentText)) return isEnded ? null : 'contradicted';
    // Anybody may delete or empty a file. Without what the tool found, others may have removed lines that are gone.
    const isProof = result !== null && result !== '' && ((foundText === null && !isLate) || isFoundKnown);
    return isProof && isFoundOld ? states() : null;
  }
  const edits = result.map(unixReplacement);
  const written = replaceText(unixLines(foundText ?? ''), edits);
  // Anybody may remove the lines that a tool is about to remove. Only added lines prove that it has run.
  if (!isEnded && !edits.some(addsLine)) {
    return written !== null && isSameState(written, currentText) ? null : 'contradicted';
  }
  if (written !== null && isSameState(written, currentText) && (!isDoubted || isFoundOld)) {
    const isSure = !isLate || isFoundKnown || edits.every(({ all }) => !all);
    return { found: entryWith(foundText), written: fromTool, isSure };
  }
  const isKnown = written !== null && isSinceOld;
  if (isKnown && isFoundKnown) return { found: entryWith(foundText), written: entryWith(written), isSure: true };
  // The tool may have read the file before the last checkpoint and written it afterwards.
  const previous =
    isDoubted || oldText === null || currentText === null
      ? null
      : textBetween(unixLines(oldText), unixLines(currentText), edits);
  if (previous !== null) return { found: entryWith(previous), written: fromTool, isSure: true };
  // Others may have changed some of the places before the tool replaced the rest.
  const isSure = edits.every(({ all }) => !all);
  if (isKnown) return { found: entryWith(foundText), written: entryWith(written), isSure };
  return isEnded ? null : 'contradicted';
}

/**
 * The text before replacing, if the last checkpoint shows that these lines were replaced. Otherwise others may have
 * removed what the tool wrote, and the same text elsewhere is theirs.
 */
function textBetween(old: string, current: string, edits: readonly TextReplacement[]): string | null {
  if (edits.some((edit) => occurrences(current, edit.new) <= occurrences(old, edit.new))) return null;
  const previous = textBeforeReplacing(current, edits);
  if (previous === null) return null;
  const replaced = changedLines(previous, current);
  const byOthers = changedLines(old, previous);
  const areOld = replaced?.every(({ beforeStart, beforeCount }) =>
    byOthers?.every(
      ({ afterStart, afterCount }) => afterStart + afterCount <= beforeStart || beforeStart + beforeCount <= afterStart,
    ),
  );
  return areOld === true ? previous : null;
}

/** Null if the texts cannot be compared by line. */
function changedLines(before: string, after: string): readonly Hunk[] | null {
  const diff = diffLines(Buffer.from(before), Buffer.from(after), LINE_BOUND, 0);
  return diff.kind === 'lines' ? diff.hunks : null;
}

function occurrences(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}

/** Whether a state has lines that a tool was to add, or is the one that it was to leave. */
function holdsAnyOf(batch: ObjectBatch, { result }: ReportedWrite, old: Entry | null, current: Entry | null): boolean {
  const [oldText, currentText] = [textOf(batch, old), textOf(batch, current)];
  if (oldText === undefined || currentText === undefined) return true;
  const edits = typeof result === 'string' || result === null ? null : result.map(unixReplacement);
  const whole = edits === null ? (result as string | null) : replaceText(unixLines(oldText ?? ''), edits);
  if (isSameState(whole, currentText)) return true;
  const known = new Set(linesOf(oldText ?? ''));
  const now = new Set(linesOf(currentText ?? ''));
  const toAdd = linesOf(whole ?? edits?.map((edit) => edit.new).join('\n') ?? '');
  return toAdd.some((line) => line.trim() !== '' && !known.has(line) && now.has(line));
}

/** Whether every line of a file is still there afterwards, in the same order. */
function keepsLines(found: string | null, written: string | null): boolean {
  if (found === null || written === null) return found === null;
  const lines = linesOf(found);
  let kept = 0;
  for (const line of linesOf(written)) if (line === lines[kept]) kept += 1;
  return kept === lines.length;
}

function linesOf(text: string): readonly string[] {
  const lines = comparable(text);
  return lines === '' ? [] : lines.split('\n');
}

/** @param mayExecute whether a file may be executable although no program made it so */
function newFileMode(current: Entry | null, mayExecute: () => boolean): number {
  if (current?.kind !== 'file') return USUAL_MODE;
  return (current.mode & EXECUTABLE) === 0 || mayExecute() ? current.mode : current.mode & ~EXECUTABLE;
}

/** Whether all files in the path's folder and the ones above are executable. */
function areAllExecutable(read: FolderReader, before: Snapshot, path: TreePath): boolean {
  const modes: number[] = [];
  let folder: FolderRef | null = rootOf(before);
  for (const name of pathComponents(path)) {
    if (folder === null) break;
    const { entries } = read(folder);
    for (const entry of entries.values()) if (entry.kind === 'file') modes.push(entry.mode);
    const next = entries.get(name);
    folder = next?.kind === 'folder' ? next : null;
  }
  return modes.length > 0 && modes.every((mode) => (mode & EXECUTABLE) !== 0);
}

function addsLine({ old, new: replacement }: TextReplacement): boolean {
  const known = new Set(old.split('\n'));
  return replacement.split('\n').some((line) => line.trim() !== '' && !known.has(line));
}

/** Null for no file. */
function isSameState(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : isSameText(a, b);
}

/** Null for no file, undefined for what cannot be compared as text. */
function textOf(batch: ObjectBatch, entry: Entry | null): string | null | undefined {
  if (entry === null) return null;
  if (entry.kind !== 'file' || (batch.info(entry.id)?.size ?? Number.POSITIVE_INFINITY) > MAX_FILE_BYTES)
    return undefined;
  const bytes = readBlob(batch, entry.id);
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Tools keep the line ends and the byte order mark of a file, and some add a line end at its end. */
function isSameText(reported: string, actual: string): boolean {
  return comparable(reported) === comparable(actual);
}

function comparable(text: string): string {
  return unixLines(text)
    .replace(/^\ufeff/, '')
    .replace(/\n$/, '');
}

/**
 * Whether two states have the same line ends and byte order mark, as far as they have any. Tools keep them, so a person
 * may have changed them, and with them every line.
 */
function hasSameForm(batch: ObjectBatch, old: Entry | null, current: Entry | null): boolean {
  const [before, after] = [textOf(batch, old), textOf(batch, current)];
  if (!before || !after) return true;
  const [endsBefore, endsAfter] = [lineEndsIn(before), lineEndsIn(after)];
  const hasSameEnds = endsBefore === endsAfter || endsBefore === 'none' || endsAfter === 'none';
  return hasSameEnds && before.startsWith('\ufeff') === after.startsWith('\ufeff');
}

function lineEndsIn(text: string): 'none' | 'unix' | 'windows' | 'mixed' {
  const [hasWindows, hasUnix] = [text.includes('\r\n'), /(?:^|[^\r])\n/.test(text)];
  if (hasWindows && hasUnix) return 'mixed';
  if (hasWindows) return 'windows';
  return hasUnix ? 'unix' : 'none';
}

function unixLines(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

function unixReplacement({ old, new: replacement, all }: { old: string; new: string; all: boolean }) {
  return { old: unixLines(old), new: unixLines(replacement), all };
}

function withLineEndsOf(model: string, text: string): string {
  return /^[^\n]*\r\n/.test(model) ? unixLines(text).replaceAll('\n', '\r\n') : text;
}
