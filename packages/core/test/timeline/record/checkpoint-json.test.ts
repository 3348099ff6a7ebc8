import type { ObjectId, Snapshot } from '@savepoint/core/ports';
import { describe, expect, it } from 'vitest';
import { checkCheckpointRecord } from '../../../src/bundle/check/check-checkpoint-record.ts';
import { EMPTY_TREE } from '../../../src/model/ids.ts';
import { decodeRecord, encodeRecord, redactRecord } from '../../../src/timeline/record/checkpoint-json.ts';
import { GOLDEN_VERSIONS, GoldenStore } from '../../fixtures/golden-store/golden-store.ts';

const COMMIT = '1'.repeat(40) as ObjectId;
const BLOB = '2'.repeat(40);
const SNAPSHOT: Snapshot = { files: EMPTY_TREE, side: EMPTY_TREE };

/** A record with every possible key, written by hand. */
const FULL = {
  format: 1,
  id: 'cp_7',
  workspace: '0123456789abcdef0123456789abcdef',
  previous: 'cp_6',
  time: '2026-01-31T12:00:00.000Z',
  trigger: 'call',
  actor: { kind: 'agent', name: 'mine', version: '1.2', id: 'sub' },
  description: 'Bash: make',
  session: 's-1',
  conversation: {
    messages: 3,
    messageId: 'm-1',
    lastUser: 'do it',
    lastAssistant: 'done',
    model: 'm',
    contextSize: 12,
  },
  testResult: 'pass',
  target: 'cp_2',
  undoes: 'cp_3',
  toolCall: 'c-1',
  tool: { name: 'Bash', kind: 'shell', summary: 'make', args: '{"command":"make"}', took: 5 },
  late: true,
  rolledBack: ['cp_4.1', 'cp_4.2:3'],
  heads: [
    {
      path: '',
      before: { branch: 'main', commit: BLOB },
      after: { branch: { b64: '//4=' }, commit: null },
      index: BLOB,
    },
  ],
  authors: [{ actor: { kind: 'user', name: 'user' }, session: null, call: null, tool: null }],
  roots: [
    {
      path: 'nested',
      kind: 'repository',
      branch: 'main',
      commit: BLOB,
      operation: 'rebase',
      mount: true,
      failed: 'EIO',
      index: { id: BLOB, staged: [BLOB] },
    },
  ],
  rules: { maxFileBytes: 1, maxIgnoredBytes: 2, include: ['a'], exclude: ['b'], roots: ['c'] },
  counts: { files: 1, links: 2, folders: 3, bytes: 4, skipped: 5 },
  partial: [{ path: { b64: '//4=' }, reason: 'unreadable', code: 'EACCES' }],
  unsettled: ['log.txt'],
  changes: [
    {
      path: 'b.ts',
      op: 'rename',
      from: 'a.ts',
      by: [0, 0],
      unsure: true,
      before: ['f', 420, BLOB],
      after: ['l', BLOB],
      lines: [1, 2],
      range: [3, 4],
      sizes: [5, null],
    },
  ],
  totals: { files: 1, added: 2, removed: 3 },
};

/** Keys that the first version did not write. */
const EARLY_ABSENT = ['toolCall', 'tool', 'late', 'rolledBack', 'heads', 'authors'] as const;

type Json = Record<string, unknown>;
const bytes = (json: unknown): Buffer => Buffer.from(`${JSON.stringify(json)}\n`);
const decode = (json: unknown) => decodeRecord(bytes(json), COMMIT, SNAPSHOT);
const check = (json: unknown) => checkCheckpointRecord(bytes(json), COMMIT, SNAPSHOT, 'linux');

describe('the bytes', () => {
  it.each(GOLDEN_VERSIONS)('of every record written by %s are reproduced', async (version) => {
    const store = await GoldenStore.of(version);
    const ids = Object.keys(store.expected.shown);
    for (const id of ids) {
      const commit = store
        .git('rev-parse', `refs/savepoint/cp/${id.slice(3)}`)
        .toString()
        .trim() as ObjectId;
      const written = store.git('cat-file', 'blob', `${commit}:checkpoint.json`);
      expect(encodeRecord(decodeRecord(written, commit, SNAPSHOT)).toString()).toBe(written.toString());
    }
  });

  it('of a record with every key are reproduced, in order', () => {
    expect(encodeRecord(decode(FULL)).toString()).toBe(bytes(FULL).toString());
  });
});

describe('an absent key', () => {
  it('in a record of an early version gets its default', () => {
    const early: Json = structuredClone(FULL);
    for (const key of EARLY_ABSENT) delete early[key];
    early['changes'] = [{ path: 'a', op: 'write', before: null, after: ['d', 493], lines: null }];
    const record = decode(early);
    expect(record).toMatchObject({ toolCall: null, tool: null, late: false, rolledBack: [], heads: [] });
    expect(record.changes?.[0]).toEqual({
      id: 'cp_7.1',
      // The changes of a call were found by a scan.
      by: {
        authors: [{ actor: { kind: 'outside', name: 'outside' }, session: 's-1', call: null, tool: null }],
        grade: 'sure',
        evidence: null,
      },
      path: 'a',
      operation: 'write',
      from: null,
      before: null,
      after: { kind: 'folder', mode: 0o755 },
      added: null,
      removed: null,
      lines: null,
      beforeSize: null,
      afterSize: null,
    });
    expect(decode({ ...early, trigger: 'restore' }).changes?.[0]?.by.authors[0]?.actor).toEqual(FULL.actor);
    const { took: _, ...tool } = FULL.tool;
    expect(decode({ ...early, tool }).tool).toEqual({ ...tool, took: null });
  });

  it('an unknown key is ignored', () => {
    expect(decode({ ...FULL, newer: { of: 'a later version' } })).not.toHaveProperty('newer');
    expect(check({ ...FULL, heads: [], roots: [], newer: 1 }).id).toBe('cp_7');
  });
});

describe('what is removed', () => {
  const full = decode(FULL);
  const none = (): boolean => false;

  it('when a record leaves the machine: local values and messages', () => {
    const left = redactRecord(full, { local: true, texts: 'all', contents: false }, none);
    expect(left).toEqual({
      ...full,
      heads: [],
      roots: FULL.roots.map(({ index: _, ...root }) => root),
      conversation: { messages: 3, messageId: 'm-1', model: 'm', contextSize: 12 },
      tool: { ...FULL.tool, summary: '', args: null },
    });
    expect(redactRecord(full, { local: true, texts: null, contents: false }, none).tool).toEqual(FULL.tool);
  });

  it('in a purge: texts that mention it, and contents', () => {
    const texts = (text: string): boolean => /do it|make$/.test(text);
    expect(redactRecord(full, { local: false, texts, contents: false }, none)).toEqual({
      ...full,
      description: '(purged)',
      conversation: { ...FULL.conversation, lastUser: '(purged)' },
      tool: { ...FULL.tool, summary: '(purged)' },
    });
    const cut = redactRecord(full, { local: false, texts: null, contents: true }, () => true);
    expect(cut.tool).toEqual({ ...FULL.tool, args: null });
    expect(cut.changes?.[0]).toMatchObject({
      path: 'b.ts',
      before: { kind: 'file', mode: 0o644, id: '0'.repeat(40) },
      after: { kind: 'link', id: '0'.repeat(40) },
      added: null,
      removed: null,
      lines: null,
      beforeSize: null,
      afterSize: null,
    });
  });

  it('nothing: the same object is returned', () => {
    expect(redactRecord(full, { local: false, texts: () => false, contents: false }, none)).toBe(full);
  });
});

describe('an invalid record', () => {
  it.each([
    ['no JSON', '{'],
    ['no object', 'null'],
    ['of no number', JSON.stringify({ ...FULL, id: 'cp_0' })],
    ['of another kind', JSON.stringify({ ...FULL, roots: 5 })],
    ['with a change of no kind of entry', JSON.stringify({ ...FULL, changes: [{ ...FULL.changes[0], after: ['x'] }] })],
  ])('is damage: %s', (_what, text) => {
    expect(() => decodeRecord(Buffer.from(text), COMMIT, SNAPSHOT)).toThrow(
      expect.objectContaining({ code: 'STORE_DAMAGED' }),
    );
  });

  it('with a higher format is too new', () => {
    expect(() => decode({ ...FULL, format: 2 })).toThrow(expect.objectContaining({ code: 'STORE_TOO_NEW' }));
  });
});

/** Yields every position in a value, with a function that replaces the value there. */
function* places(value: unknown, at = ''): Generator<readonly [string, (whole: unknown, other: unknown) => unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`;
    const put = (whole: unknown, other: unknown): unknown => {
      const copy = (Array.isArray(whole) ? [...whole] : { ...(whole as Json) }) as Json;
      if (other === undefined) delete copy[key];
      else copy[key] = other;
      return copy;
    };
    yield [name, put];
    for (const [deeper, inside] of places(inner, name)) {
      yield [deeper, (whole, other) => put(whole, inside((whole as Json)[key], other))];
    }
  }
}

describe('a foreign record', () => {
  const theirs = { ...FULL, heads: [], roots: FULL.roots.map(({ index: _, ...root }) => root) };
  const ODD = {
    absent: undefined,
    null: null,
    true: true,
    false: false,
    zero: 0,
    'minus one': -1,
    half: 0.5,
    huge: 2 ** 60,
    'no text': '',
    word: 'x',
    'path up': '../x',
    id: 'cp_1',
    surrogate: '\ud800',
    long: 'x'.repeat(10_000),
    'very long': 'x'.repeat(1_000_001),
    'a list': [],
    'an object': {},
    bytes: { b64: '//4=' },
  };

  it('is read as it is written', () => {
    expect(check(theirs)).toEqual(decode(theirs));
  });

  it('is refused with the invalid value and its location', async () => {
    const verdicts: string[] = [];
    for (const [at, put] of places({ ...theirs, heads: FULL.heads, roots: FULL.roots })) {
      const byVerdict = new Map<string, string[]>();
      for (const [what, odd] of Object.entries(ODD)) {
        // If a long value is refused, a longer one need not be tried.
        if (what === 'very long' && !(byVerdict.get('taken') ?? []).includes('long')) continue;
        const whole = at.startsWith('heads[')
          ? { ...theirs, heads: FULL.heads }
          : at.includes('index')
            ? { ...theirs, roots: FULL.roots }
            : theirs;
        let verdict = 'taken';
        try {
          check(put(whole, odd));
        } catch (error) {
          verdict = `${(error as Error).name}: ${(error as Error).message}`;
        }
        byVerdict.set(verdict, [...(byVerdict.get(verdict) ?? []), what]);
      }
      verdicts.push(at, ...[...byVerdict].map(([verdict, whats]) => `  ${verdict} <- ${whats.join(', ')}`));
    }
    await expect(`${verdicts.join('\n')}\n`).toMatchFileSnapshot('foreign-records.txt');
  });
});
