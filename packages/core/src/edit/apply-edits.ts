/**
 * Applies a list of edits to one file. The edits apply in order, each to the result of the one before it. Either all of
 * them apply or none: if one fails, there is no new state.
 */

import { lineCount } from '../content/changed-span.ts';
import { countChangedLines } from '../content/line-diff.ts';
import { changedLines } from './changed-lines.ts';
import {
  type AppliedEdit,
  EDIT_BOUND,
  type Edit,
  type EditBound,
  type EditStatus,
  type FileEditResult,
  type FileState,
  type Write,
} from './edits.ts';
import { EditRefusedError, editRefusal } from './failures.ts';
import { insertInto } from './insert.ts';
import { CRLF_KEPT, type NewBody } from './new-body.ts';
import { applyPatch } from './patch-apply.ts';
import { parsePatch } from './patch-parse.ts';
import { replaceIn } from './replace.ts';
import {
  bytesOf,
  encodeText,
  isAllCrLf,
  readText,
  requireText,
  type TextFile,
  textFile,
  tooLargeError,
  withEnding,
} from './text-file.ts';

/**
 * Applies edits to one file.
 * @param state the current state of the file, or that it does not exist; never modified
 * @returns a status for each edit, in order; if nothing changed the content, `after.content` is the given buffer
 */
export function applyEdits(state: FileState, edits: readonly Edit[], bound: EditBound = EDIT_BOUND): FileEditResult {
  const applied: AppliedEdit[] = [];
  let file: OpenFile = { ...state, text: null };
  for (const [index, edit] of edits.entries()) {
    try {
      const step = applyOne(file, edit, bound);
      file = step.file;
      applied.push({ index, op: edit.op, outcome: 'applied', ...step.report });
    } catch (error) {
      if (!(error instanceof EditRefusedError)) throw error;
      const failed: EditStatus = { index, op: edit.op, outcome: 'failed', failure: error.failure };
      const skipped = edits
        .slice(index + 1)
        .map(({ op }, offset): EditStatus => ({ index: index + 1 + offset, op, outcome: 'skipped' }));
      return { ok: false, statuses: [...applied, failed, ...skipped] };
    }
  }
  const { path, mode } = file;
  return { ok: true, after: { path, content: contentOf(file), mode }, statuses: applied };
}

/** If an edit changed the text, `text` is the current content and `content` is the old one. */
interface OpenFile extends FileState {
  readonly text: TextFile | null;
}

type Report = Omit<AppliedEdit, 'index' | 'op' | 'outcome'>;

interface EditOutcome {
  readonly file: OpenFile;
  readonly report: Report;
}

const NO_LINES: Report = { replacements: null, lines: null, added: 0, removed: 0, notes: [] };
const NO_TEXT: Report = { ...NO_LINES, added: null, removed: null };
const NOTHING = Buffer.alloc(0);
const UNCHANGED = 'Nothing to change: the file already has this content.';

function applyOne(file: OpenFile, edit: Edit, bound: EditBound): EditOutcome {
  switch (edit.op) {
    case 'replace':
      return editBody(file, bound, edit.old.startsWith('\ufeff'), (body) => replaceIn(body, edit, bound));
    case 'insert':
      return editBody(file, bound, false, (body) => insertInto(body, edit, bound));
    case 'write':
      return write(file, edit, bound);
    case 'patch':
      return patch(file, edit.patch, edit.fuzz, bound);
    case 'create':
      assertAbsent(file);
      if (edit.mode !== null) checkMode(edit.mode);
      return create(file, encodeText('content', edit.content, bound), edit.mode);
    case 'delete':
      return remove(file);
    case 'rename':
      assertExists(file);
      if (edit.to === file.path) {
        throw editRefusal('ALREADY_THERE', 'The file already has this name. Remove the edit or use another name.', {});
      }
      return { file: { ...file, path: edit.to }, report: NO_LINES };
    case 'mode':
      assertExists(file);
      checkMode(edit.mode);
      return {
        file: { ...file, mode: edit.mode },
        report: {
          ...NO_LINES,
          notes: edit.mode === file.mode ? ['Nothing to change: the file already has this mode.'] : [],
        },
      };
  }
}

/** @param hasBom whether the edit looks for a byte-order mark; if so, the mark is part of the first line */
function editBody(file: OpenFile, bound: EditBound, hasBom: boolean, change: (body: string) => NewBody): EditOutcome {
  assertExists(file);
  const text = file.text ?? requireText(file.content ?? NOTHING, bound);
  const before: TextFile = hasBom ? { bom: '', body: bytesOf(text) } : text;
  const { body, sameStart, sameEnd, replacements, notes } = change(before.body);
  const after = textFile(before.bom + body);
  const known = before.bom.length + sameStart;
  const lines = changedLines(bytesOf(before), bytesOf(after), known, sameEnd);
  const same = bytesOf(before) === bytesOf(after);
  return {
    file: same ? file : { ...file, text: after },
    report: { ...lines, replacements, notes: same ? [...notes, UNCHANGED] : notes },
  };
}

function write(file: OpenFile, edit: Write, bound: EditBound): EditOutcome {
  const given = encodeText('content', edit.content, bound);
  const old = oldText(file, bound);
  if (old === null) return create(file, given, file.mode);
  const notes: string[] = [];
  let bytes = given;
  if (!edit.exact && !bytes.includes('\r') && bytes.includes('\n') && isAllCrLf(old.body)) {
    bytes = withEnding(bytes, '\r\n');
    notes.push(CRLF_KEPT);
  }
  if (!edit.exact && old.bom !== '' && textFile(bytes).bom === '') {
    bytes = old.bom + bytes;
    notes.push('Byte-order mark kept.');
  }
  if (bytes.length > bound.maxBytes) throw tooLargeError('result', bound);
  const before = bytesOf(old);
  if (before === bytes) return { file, report: { ...NO_LINES, notes: [...notes, UNCHANGED] } };
  return {
    file: { ...file, text: textFile(bytes) },
    report: { ...NO_LINES, ...changedLines(before, bytes), notes },
  };
}

/** The old text to compare a full rewrite with. Null if there is no text. */
function oldText(file: OpenFile, bound: EditBound): TextFile | null {
  if (file.text !== null) return file.text;
  return file.content === null || file.content.length > bound.maxBytes ? null : readText(file.content);
}

function patch(file: OpenFile, given: string, fuzz: number, bound: EditBound): EditOutcome {
  const parsed = parsePatch(given, fuzz, bound);
  if (parsed.kind === 'create') {
    assertAbsent(file);
    return create(file, parsed.content, parsed.mode);
  }
  if (parsed.kind === 'change')
    return editBody(file, bound, parsed.hasBom, (body) => applyPatch(body, parsed, fuzz, bound));
  assertExists(file);
  const text = file.text ?? requireText(file.content ?? NOTHING, bound);
  const { body } = applyPatch(parsed.hasBom ? bytesOf(text) : text.body, parsed, fuzz, bound);
  if (body !== '') {
    throw editRefusal(
      'PATCH_MISMATCH',
      'The patch deletes the file, but the file has lines that the patch does not remove. Use a delete edit instead.',
      { hunk: 0, line: 1, expected: null, found: null, places: [] },
    );
  }
  return remove(file);
}

function create(file: OpenFile, bytes: string, mode: number | null): EditOutcome {
  const text = textFile(bytes);
  const count = lineCount(bytes);
  const fresh = !exists(file);
  return {
    file: { ...file, text, mode },
    report: {
      ...NO_LINES,
      lines: count === 0 ? null : { first: 1, last: count },
      added: fresh ? count : null,
      removed: fresh ? 0 : null,
      notes: fresh ? [] : ['The change is not shown by line.'],
    },
  };
}

function remove(file: OpenFile): EditOutcome {
  assertExists(file);
  const counts = countChangedLines(contentOf(file) ?? NOTHING, NOTHING);
  return {
    file: { ...file, content: null, text: null, mode: null },
    report: counts === null ? NO_TEXT : { ...NO_LINES, ...counts },
  };
}

function exists(file: OpenFile): boolean {
  return file.text !== null || file.content !== null;
}

function contentOf(file: OpenFile): Buffer | null {
  return file.text === null ? file.content : Buffer.from(bytesOf(file.text), 'latin1');
}

function assertExists(file: OpenFile): void {
  if (!exists(file)) {
    throw editRefusal('NOT_THERE', 'The file does not exist. Check the path, or create the file.', {});
  }
}

function assertAbsent(file: OpenFile): void {
  if (exists(file)) {
    throw editRefusal('ALREADY_THERE', 'The file already exists. Edit it, or use write to replace its content.', {});
  }
}

function checkMode(mode: number): void {
  if (Number.isInteger(mode) && mode >= 0 && mode <= 0o7777) return;
  throw editRefusal('BAD_MODE', `Invalid mode ${mode}. Use permission bits from 0 to 4095 (octal 7777).`, { mode });
}
