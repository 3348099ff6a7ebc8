/** Rolls back a change, a turn or the changes of an agent with the verb `rollback`, after a preview. */
import { nameToJson, type Savepoint, showName, showText } from '@savepoint/core';
import { type InputOf, type OutputOf, VERBS } from '@savepoint/core/frontend';
import { countText } from '../../show/format.ts';
import type { TurnJson } from '../../show/turn.ts';
import { busy, linesOf, unseenLines, viewOf } from '../../terminal-host/overlay/go-back.ts';
import { showPage } from '../../terminal-host/overlay/text-page.ts';
import type { Ui } from '../../terminal-host/overlay/ui.ts';
import type { Row } from '../model.ts';
import { absolutePaths } from './restore.ts';

type RollbackInput = InputOf<typeof VERBS.rollback>;
type RollbackJson = OutputOf<typeof VERBS.rollback>;
type HistoryJson = OutputOf<typeof VERBS.history>;

/** What the user may roll back. */
export interface Selection {
  readonly row: Row;
  /** The chosen file of the diff, one character per byte; null: none. */
  readonly path: string | null;
  /** The turns that are loaded, newest first. */
  readonly turns: readonly TurnJson[];
}

interface Offer {
  readonly key: string;
  readonly label: string;
  readonly input: () => Promise<RollbackInput>;
}

/** @returns what was done, as the command says it; null: nothing */
export async function rollBack(ui: Ui, savepoint: Savepoint, selection: Selection): Promise<readonly string[] | null> {
  const offers = offersFor(savepoint, selection);
  const chosen = await showPage<string>(ui, {
    title: 'Roll back',
    lines: [
      'A rollback reverts only the chosen changes, and keeps all later ones.',
      'Before anything changes, a preview shows what would happen. Enter chooses the first.',
    ],
    choices: [...offers.map(({ key, label }) => [key, label, key] as const), ['esc', 'cancel', '']],
    cancelled: '',
    ...(offers[0] === undefined ? {} : { entered: offers[0].key }),
  });
  const offer = offers.find(({ key }) => key === chosen);
  if (offer === undefined) return null;
  busy(ui, 'Looking for the changes …');
  return performRollback(ui, savepoint, await offer.input());
}

/** Shows what a rollback would do, asks, and does it. @returns what was done, as the command says it; null: nothing */
export async function performRollback(
  ui: Ui,
  savepoint: Savepoint,
  first: RollbackInput,
): Promise<readonly string[] | null> {
  const { rollback } = await import('../../commands/rewind/rollback.ts');
  const textOf = (output: RollbackJson): readonly string[] =>
    linesOf(rollback.render(output, viewOf(ui), { operands: [], paths: [], options: { yes: true } }));
  const previewOf = (input: RollbackInput): Promise<RollbackJson> =>
    VERBS.rollback.handle(savepoint, { ...input, dryRun: true }, {});
  let input = first;
  let preview = await previewOf(input);
  for (;;) {
    const likely = preview.skipped.filter(({ grade }) => grade === 'likely').length;
    const isReady = preview.outcome === 'ready';
    const isConflict = preview.outcome === 'conflict';
    const choice = await showPage<'yes' | 'likely' | 'skip' | 'no'>(ui, {
      title: isReady
        ? 'Roll this back?'
        : isConflict
          ? 'Later changes are in the same lines.'
          : 'There is nothing to roll back.',
      lines: textOf(preview),
      choices: [
        ...(isReady ? [['y', 'roll back', 'yes'] as const] : []),
        ...(likely > 0 && input.likely !== true
          ? [['l', `include ${countText(likely, 'likely change')}`, 'likely'] as const]
          : []),
        ...(isConflict ? [['s', 'leave these files alone', 'skip'] as const] : []),
        ['n', isReady ? 'cancel' : 'back', 'no'],
      ],
      cancelled: 'no',
    });
    if (choice === 'no') return null;
    if (choice === 'yes') break;
    input = choice === 'likely' ? { ...input, likely: true } : { ...input, skipConflicts: true };
    busy(ui, 'Comparing …');
    preview = await previewOf(input);
  }
  busy(ui, 'Rolling back …');
  const done = await VERBS.rollback.handle(savepoint, { ...input, expected: preview.fingerprint }, {});
  return unseenLines(textOf(done), textOf(preview));
}

function offersFor(savepoint: Savepoint, { row, path, turns }: Selection): readonly Offer[] {
  const offers: Offer[] = [];
  const add = (key: string, label: string, input: Offer['input']): void => void offers.push({ key, label, input });
  const file = path === null ? undefined : showName(path);
  if (row.kind === 'checkpoint') {
    const { id, actor, session } = row.checkpoint;
    const ids = [id, ...row.folded];
    if (path !== null) add('f', `${file}`, async () => ({ changes: await changesOf(savepoint, ids, path) }));
    add('c', `all of ${id}`, async () => ({ changes: await changesOf(savepoint, ids, null) }));
    if (session !== null) addAgent(add, actor.name, session);
  }
  if (row.kind === 'turn') {
    const { turn } = row;
    if (path !== null) {
      add('f', `${file} in this turn`, async () => ({
        ...(await turnInput(savepoint, turn, turns)),
        paths: await absolutePaths(savepoint, [nameToJson(path)]),
      }));
    }
    add('t', 'this turn', () => turnInput(savepoint, turn, turns));
    addAgent(add, turn.actor.name, turn.session);
  }
  return offers;
}

function addAgent(
  add: (key: string, label: string, input: Offer['input']) => void,
  agent: string,
  session: string,
): void {
  add('s', 'its whole session', async () => ({ session }));
  add('a', `all of ${showText(agent)}`, async () => ({ agent }));
}

async function changesOf(savepoint: Savepoint, ids: readonly string[], path: string | null): Promise<string[]> {
  const found: string[] = [];
  for (const checkpoint of ids) {
    const { changes } = await VERBS.show.handle(savepoint, { checkpoint }, {});
    const wanted = (changes ?? []).filter((change) => path === null || change.path === nameToJson(path));
    found.push(...wanted.map(({ id }) => id));
  }
  return found;
}

const MOST_CHANGES = 10_000;

/**
 * A turn lasts until the next prompt of its session, whose checkpoint still records changes of this turn. Its changes are
 * named, and so is its session, so that only what is surely from it is rolled back.
 */
async function turnInput(savepoint: Savepoint, turn: TurnJson, turns: readonly TurnJson[]): Promise<RollbackInput> {
  const start = turn.before === null ? 0 : numberOf(turn.before);
  const later = turns.filter(
    ({ session, before }) => session === turn.session && before !== null && numberOf(before) > start,
  );
  const end = Math.min(...later.map(({ before }) => numberOf(before ?? '')));
  const { changes }: HistoryJson = await VERBS.history.handle(
    savepoint,
    {
      session: turn.session,
      limit: MOST_CHANGES,
      ...(end === Number.POSITIVE_INFINITY ? {} : { before: `cp_${end + 1}.1` as const }),
    },
    {},
  );
  const own = changes.filter(({ checkpoint, takenBack }) => {
    const number = numberOf(checkpoint);
    return takenBack === null && number > start && number <= end;
  });
  const sure = own.filter(({ grade }) => grade === 'sure');
  return { changes: (sure.length > 0 ? sure : own).map(({ id }) => id), session: turn.session };
}

function numberOf(id: string): number {
  return Number(id.slice('cp_'.length));
}
