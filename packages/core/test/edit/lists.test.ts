import { createHash } from 'node:crypto';
import { testEffort } from '@savepoint/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PatchSide, unifiedPatch } from '../../src/content/unified-patch.ts';
import { applyEdits } from '../../src/edit/apply-edits.ts';
import type { Edit, FileState } from '../../src/edit/edits.ts';
import type { ObjectId } from '../../src/model/ids.ts';
import type { TreePath } from '../../src/model/names.ts';
import { type ModelFile, modelChange, modelStep } from './model.ts';

/**
 * Random files and lists of edits, compared with the model. SAVEPOINT_LONG=1 runs ten times as many.
 * Replay: SAVEPOINT_SEED=… npx vitest run --project quick packages/core/test/edit/lists.test.ts
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const LISTS = testEffort({ quick: 2_000, ci: 21_000, long: 210_000 });

const PIECES = ['a', 'b', 'aa', 'ab', '', ' a', '\ta', 'é', 'e\u0301', '日本', '😀', 'a b', '\r', '--- x', '+'];
const ENDINGS = [['\n'], ['\n'], ['\r\n'], ['\n', '\r\n'], ['\r\n', '\n', '\r\r\n']] as const;

interface Recipe {
  readonly kind: number;
  readonly at: number;
  readonly length: number;
  readonly text: string;
  readonly other: string;
  readonly flag: boolean;
}

const someText = (maxLines: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...ENDINGS),
      fc.array(fc.tuple(fc.nat({ max: PIECES.length - 1 }), fc.nat()), { maxLength: maxLines }),
      fc.boolean(),
    )
    .map(([endings, lines, open]) => {
      const text = lines.map(([piece, end]) => `${PIECES[piece]}${endings[end % endings.length]}`).join('');
      return open ? text.replace(/\r?\n$/, '') : text;
    });

const recipe: fc.Arbitrary<Recipe> = fc.record({
  kind: fc.nat({ max: 29 }),
  at: fc.nat({ max: 1000 }),
  length: fc.nat({ max: 8 }),
  text: someText(3),
  other: fc.oneof(
    { weight: 9, arbitrary: someText(8) },
    { weight: 1, arbitrary: fc.constantFrom('\0', '\ud83d', '\ufeffa\n') },
  ),
  flag: fc.boolean(),
});

const start: fc.Arbitrary<string | null> = fc
  .tuple(someText(8), fc.nat({ max: 9 }))
  .map(([text, how]) => (how === 0 ? null : how < 3 ? `\ufeff${text}` : text));

/** Turns a recipe into an edit of this file, usually one that can be applied. */
function editFor({ kind, at, length, text, other, flag }: Recipe, file: ModelFile): Edit {
  const body = kind === 1 ? (file.text ?? '') : (file.text ?? '').replace(/^\ufeff/, '');
  if (kind < 14) {
    const from = body === '' ? 0 : at % body.length;
    const there = body.slice(from, from + 1 + length);
    const old = kind === 0 ? text : kind < 10 ? there.replaceAll('\r\n', '\n') : there;
    const now = kind % 3 === 0 ? old + text : kind % 3 === 1 ? other : text + old.slice(1);
    return {
      op: 'replace',
      old,
      new: flag ? now.replaceAll('\r', '') : now,
      replaceAll: at % 3 === 0,
      tolerant: false,
    };
  }
  if (kind < 18) return { op: 'insert', line: at % (body.split('\n').length + 1), text: flag ? other : text };
  if (kind < 21) return { op: 'write', content: flag ? other.replaceAll('\r', '') : other, exact: at % 3 === 0 };
  if (kind < 26 && file.text !== null) return { op: 'patch', patch: patchTo(file.text, target(other)), fuzz: 0 };
  if (kind === 26) return { op: 'create', content: other, mode: flag ? 0o755 : null };
  if (kind === 27) return flag ? { op: 'delete' } : { op: 'create', content: text, mode: null };
  if (kind === 28) return { op: 'rename', to: `b${at % 2}` as TreePath };
  return { op: 'mode', mode: at % 0o777 };
}

const side = (text: string): PatchSide => {
  const content = Buffer.from(text);
  const id = createHash('sha1').update(content).digest('hex') as ObjectId;
  return { kind: 'file', mode: 0o644, id, size: content.length, read: () => content };
};

function patchTo(before: string, after: string): string {
  const change = { path: 'f' as TreePath, before: side(before), after: side(after) };
  return unifiedPatch([change]).text.toString();
}

const target = (text: string) => (text === '\0' || text === '\ud83d' ? 'x\n' : text);

/** A patch that we generate must produce exactly the intended result. */
function step(file: ModelFile, edit: Edit, recipe: Recipe) {
  if (edit.op !== 'patch') return modelStep(file, edit);
  if (edit.patch === '') return { code: 'BAD_PATCH' as const };
  return { file: { ...file, text: target(recipe.other) }, replacements: null };
}

describe('lists of edits', () => {
  test(`${LISTS} of them do what the model does (seed ${SEED})`, { timeout: 900_000 }, () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(start, fc.array(recipe, { minLength: 1, maxLength: 6 }), (text, recipes) => {
        const given: FileState = {
          path: 'b0' as TreePath,
          content: text === null ? null : Buffer.from(text),
          mode: text === null ? null : 0o644,
        };
        const edits: Edit[] = [];
        const states: ModelFile[] = [{ text, mode: given.mode, path: given.path }];
        const replaced: (number | null)[] = [];
        let code: string | null = null;
        for (const some of recipes) {
          const file = states.at(-1) as ModelFile;
          const edit = editFor(some, file);
          edits.push(edit);
          if (code !== null) continue;
          const next = step(file, edit, some);
          seen.set(`${edit.op} ${'code' in next ? next.code : 'applied'}`, (seen.get(`${edit.op}`) ?? 0) + 1);
          if ('code' in next) code = next.code;
          else states.push(next.file);
          if (!('code' in next)) replaced.push(next.replacements);
        }

        const result = applyEdits(given, edits);

        expect(given.content?.toString() ?? null).toBe(text);
        expect(result.ok).toBe(code === null);
        expect(result.statuses.length).toBe(edits.length);
        const applied = states.length - 1;
        for (const [i, status] of result.statuses.entries()) {
          expect({ index: status.index, op: status.op }).toEqual({ index: i, op: edits[i]?.op });
          if (status.outcome === 'applied') {
            expect(i).toBeLessThan(applied);
            expect(status.replacements).toBe(replaced[i]);
            const { lines, added, removed } = status;
            expect({ lines, added, removed }).toEqual(modelChange(states[i]?.text ?? '', states[i + 1]?.text ?? ''));
          } else {
            expect(status.outcome).toBe(i === applied ? 'failed' : 'skipped');
            if (status.outcome === 'failed') expect(status.failure.code).toBe(code);
          }
        }
        if (!result.ok) return;
        const last = states.at(-1) as ModelFile;
        const { after } = result;
        expect({ text: after.content?.toString() ?? null, mode: after.mode, path: after.path }).toEqual(last);
      }),
      { seed: SEED, numRuns: LISTS },
    );
    // Each of these must have occurred, so that the lists are not only failures.
    for (const kind of [
      ...['replace', 'insert', 'write', 'patch', 'create', 'delete', 'rename', 'mode'].map((op) => `${op} applied`),
      ...['NO_MATCH', 'SEVERAL_MATCHES', 'EMPTY_SEARCH', 'SAME_TEXT', 'BAD_STRING'].map((code) => `replace ${code}`),
      ...['insert BAD_LINE', 'patch BAD_PATCH', 'create ALREADY_THERE', 'replace NOT_THERE', 'rename ALREADY_THERE'],
    ]) {
      expect(seen.has(kind), kind).toBe(true);
    }
  });
});
