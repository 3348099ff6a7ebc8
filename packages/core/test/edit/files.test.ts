import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/edit/apply-edits.ts';
import { EDIT_BOUND, type Edit } from '../../src/edit/edits.ts';
import type { TreePath } from '../../src/model/names.ts';
import {
  done,
  edited,
  failure,
  file,
  insert,
  patch,
  refusal,
  replace,
  replaceAll,
  tolerant,
  write,
} from './helpers.ts';

const create = (content: string, mode: number | null = null): Edit => ({ op: 'create', content, mode });
const DELETE: Edit = { op: 'delete' };
const rename = (to: string): Edit => ({ op: 'rename', to: to as TreePath });
const mode = (bits: number): Edit => ({ op: 'mode', mode: bits });

describe('whole files', () => {
  test('create, delete, rename and mode', () => {
    expect(done(null, [create('a\nb', 0o755)])).toMatchObject({
      text: 'a\nb',
      mode: 0o755,
      last: { lines: { first: 1, last: 2 }, added: 2, removed: 0 },
    });
    expect(done(null, [create('')])).toMatchObject({ text: '', mode: null, last: { lines: null, added: 0 } });
    expect(done('a\nb\n', [DELETE])).toMatchObject({ text: null, mode: null, last: { added: 0, removed: 2 } });
    expect(done('a', [rename('b'), mode(0o600), replace('a', 'c')])).toMatchObject({
      path: 'b',
      mode: 0o600,
      text: 'c',
    });
    expect(done('a', [DELETE, create('b')]).text).toBe('b');
  });

  test('reports files that must exist, and files that must not', () => {
    for (const edit of [
      replace('a', 'b'),
      insert(0, 'a'),
      DELETE,
      rename('b'),
      mode(0o644),
      patch('@@ -1 +1 @@\n-a\n+b\n'),
    ]) {
      refusal('NOT_THERE', null, edit);
    }
    refusal('NOT_THERE', 'a', DELETE, DELETE);
    refusal('ALREADY_THERE', 'a', create('b'));
    refusal('ALREADY_THERE', '', create('b'));
    refusal('ALREADY_THERE', 'a', rename('src/a.ts'));
  });

  test('modes are permission bits', () => {
    for (const bits of [-1, 0o10000, 1.5, Number.NaN]) {
      expect(refusal('BAD_MODE', 'a', mode(bits)).data.mode).toBe(bits);
      refusal('BAD_MODE', null, create('a', bits));
    }
    expect(done('a', [mode(0o644)]).last.notes).toEqual(['Nothing to change: the file already has this mode.']);
  });

  test('a file that is not text can be written, removed and renamed, but not edited', () => {
    for (const content of [Buffer.from('a\0b'), Buffer.concat([Buffer.alloc(9000, 'a'), Buffer.from([0])])]) {
      for (const edit of [replace('a', 'b'), insert(0, 'a'), patch('@@ -1 +1 @@\n-a\n+b\n')]) {
        expect(refusal('NOT_TEXT', content, edit).data).toEqual({ why: 'nul', offset: content.indexOf(0) });
      }
    }
    const latin1 = Buffer.from('caf\xe9', 'latin1');
    expect(refusal('NOT_TEXT', latin1, replace('caf', 'x')).data.why).toBe('not-utf8');
    refusal('NOT_TEXT', Buffer.from('\ufeffa', 'utf16le'), replace('a', 'b'));
    expect(done(latin1, [write('a\n')])).toMatchObject({ text: 'a\n', last: { added: null, removed: null } });
    expect(done(latin1, [rename('b'), mode(0o600), DELETE]).text).toBe(null);
    const binary = file(Buffer.from('a\0b'));
    expect(applyEdits(binary, [mode(0o600)])).toMatchObject({ ok: true, after: { content: binary.content } });
    expect(done(Buffer.from('a\0b'), [DELETE]).last.removed).toBe(null);
  });

  test('texts that cannot be in a text file are refused', () => {
    const bad = [
      [replace('\0', 'a'), 'old', 'nul'],
      [replace('a', '\0'), 'new', 'nul'],
      [replace('\ud83d', 'a'), 'old', 'surrogate'],
      [insert(0, 'a\udc00'), 'text', 'surrogate'],
      [write('\ud83d'), 'content', 'surrogate'],
      [write('\0', true), 'content', 'nul'],
      [patch('\0'), 'patch', 'nul'],
    ] as const;
    for (const [edit, field, why] of bad) expect(refusal('BAD_STRING', 'a', edit).data).toMatchObject({ field, why });
    refusal('BAD_STRING', null, create('\0'));
    expect(edited('a', replace('a', '😀'))).toBe('😀');
  });

  test('nothing over the limit is read or created', () => {
    const bound = { ...EDIT_BOUND, maxBytes: 100, maxReplacements: 5, maxLines: 10 };
    const long = 'é'.repeat(51);
    const tooLarge = (content: string | null, ...edits: Edit[]) => {
      const found = failure(content, edits, bound);
      expect(found.code).toBe('TOO_LARGE');
      return found.data;
    };
    tooLarge(long, replace('é', 'e'));
    tooLarge('a', write(long));
    tooLarge(null, create(long));
    tooLarge('x'.repeat(99), replaceAll('x'.repeat(99), 'yy'.repeat(51)));
    tooLarge('a'.repeat(60), insert(0, 'b'.repeat(40)));
    tooLarge('a\r\n'.repeat(2), write('b\n'.repeat(40)));
    expect(tooLarge('a a a a a a', replaceAll('a', 'b'))).toEqual({ limit: 5, unit: 'replacements' });
    expect(tooLarge(' \n'.repeat(11), tolerant('x', 'y'))).toEqual({ limit: 10, unit: 'lines' });
    expect(tooLarge('\n'.repeat(11), patch('@@ -1 +1 @@\n-a\n+b\n'))).toEqual({ limit: 10, unit: 'lines' });
    expect(tooLarge('a', patch('\n'.repeat(20)))).toEqual({ limit: 10, unit: 'lines' });
    expect(
      tooLarge(
        'a\n',
        patch(`@@ -1 +1,2 @@\n a\n+${'b'.repeat(80)}\n`),
        patch(`@@ -1 +1,2 @@\n a\n+${'b'.repeat(80)}\n`),
      ),
    ).toEqual({ limit: 100, unit: 'bytes' });
    expect(done(long, [write('a')], bound).text).toBe('a');
  });
});

describe('insert', () => {
  test('at the top, between and at the end; a missing line end is added', () => {
    expect(edited('a\nb\n', insert(0, 'x\n'))).toBe('x\na\nb\n');
    expect(edited('a\nb\n', insert(1, 'x'))).toBe('a\nx\nb\n');
    expect(edited('a\nb\n', insert(2, 'x'))).toBe('a\nb\nx\n');
    expect(edited('', insert(0, 'x'))).toBe('x');
    expect(done('a\nb\n', [insert(1, 'x\ny')]).last).toMatchObject({
      lines: { first: 2, last: 3 },
      added: 2,
      removed: 0,
    });
  });

  test('a file without a line end at its end stays so', () => {
    expect(edited('a', insert(1, 'x\n'))).toBe('a\nx');
    expect(edited('a\r\nb', insert(2, 'x\ny\n'))).toBe('a\r\nb\r\nx\r\ny');
    expect(edited('a', insert(0, 'x'))).toBe('x\na');
  });

  test('uses the line ending of the line before, and is placed after the byte-order mark', () => {
    expect(edited('a\r\nb\n', insert(1, 'x\n'))).toBe('a\r\nx\r\nb\n');
    expect(edited('a\r\nb\n', insert(2, 'x\n'))).toBe('a\r\nb\nx\n');
    expect(edited('a\n', insert(1, 'x\r\n'))).toBe('a\nx\r\n');
    expect(done('\ufeffa\r\n', [insert(0, 'x')])).toMatchObject({
      text: '\ufeffx\r\na\r\n',
      last: { notes: ['CRLF line endings kept.'] },
    });
  });

  test('requires an existing line, and text to insert', () => {
    expect(refusal('BAD_LINE', 'a\nb\n', insert(3, 'x')).data).toEqual({ line: 3, lines: 2 });
    for (const line of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) refusal('BAD_LINE', 'a\n', insert(line, 'x'));
    refusal('BAD_LINE', '', insert(1, 'x'));
    refusal('SAME_TEXT', 'a\n', insert(0, ''));
  });
});

describe('write', () => {
  test('keeps CRLF and the byte-order mark, unless exact, and says so', () => {
    const { text, last } = done('\ufeffa\r\nb', [write('x\ny\n')]);
    expect(text).toBe('\ufeffx\r\ny\r\n');
    expect(last.notes).toEqual(['CRLF line endings kept.', 'Byte-order mark kept.']);
    expect(edited('\ufeffa\r\nb', write('x\ny\n', true))).toBe('x\ny\n');
    expect(edited('\ufeffa\r\n', write('\ufeffx\r\ny\n'))).toBe('\ufeffx\r\ny\n');
    expect(edited('a\r\nb\n', write('x\n'))).toBe('x\n');
    expect(edited('a', write('x\n'))).toBe('x\n');
  });

  test('of the existing content changes nothing', () => {
    expect(done('a\n', [write('a\n')]).last).toMatchObject({ lines: null, added: 0, removed: 0 });
    const state = file('a\r\n');
    const result = applyEdits(state, [write('a\n')]);
    expect(result.ok && result.after.content).toBe(state.content);
  });

  test('creates a missing file', () => {
    expect(done(null, [write('a\n')])).toMatchObject({ text: 'a\n', mode: null, last: { added: 1, removed: 0 } });
  });
});
