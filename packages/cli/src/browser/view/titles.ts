/** What the frames, the first line and the last line say. */
import { showName } from '@savepoint/core';
import { countText, groupDigits } from '../../show/format.ts';
import { styledWidth } from '../../terminal-host/overlay/clip.ts';
import { diffLines, fileAt } from '../diff/diff-lines.ts';
import { chosenIndex, visibleRows } from '../list/rows.ts';
import { type State, TABS, type Tab } from '../model.ts';
import type { FrameTitles } from './frame.ts';
import type { Paints } from './paint.ts';
import { ends, fit } from './text.ts';

const NAMES: Readonly<Record<Tab, string>> = {
  turns: 'Turns',
  checkpoints: 'Checkpoints',
  all: 'All',
  manual: 'Manual',
};

export function titleLine(state: State, paints: Paints): string {
  const { workspace, size, filter } = state;
  const right =
    filter === '' || state.typed !== null
      ? ''
      : `filter: ${paints.id(fit(filter, Math.min(24, styledWidth(filter))))} `;
  return ends(` ${paints.strong('savepoint')}  ${paints.faint(workspace)}`, right, size.columns);
}

export function listTitles(state: State, paints: Paints): FrameTitles {
  const names = TABS.map((tab, index) => {
    const text = `${index + 1} ${NAMES[tab]}`;
    return tab === state.tab ? paints.strong(text) : paints.faint(text);
  });
  const { next, isLoading } = state.lists[state.tab];
  const count = visibleRows(state).length;
  const more = isLoading ? '…' : next === null ? '' : '+';
  const place = count === 0 ? '' : `${groupDigits(chosenIndex(state) + 1)}/${groupDigits(count)}${more}`;
  return { left: names.join('  '), right: paints.faint(place) };
}

export function diffTitles(state: State, paints: Paints): FrameTitles {
  const { diff } = state;
  const lines = diffLines(diff);
  const file = fileAt(lines, state.focus === 'diff' ? diff.cursor : diff.top);
  const all = diff.files.length === 0 ? '' : countText(diff.files.length, 'file');
  const place = file === null ? all : `${diff.files.indexOf(file) + 1} of ${all}`;
  const name = file === null || diff.top === 0 ? '' : `  ${paints.faint(showName(file.path))}`;
  return { left: `${paints.strong(diff.about === '' ? 'Diff' : diff.title)}${name}`, right: paints.faint(place) };
}

const LIST_KEYS: readonly Hint[] = [
  ['enter', 'diff'],
  ['c', 'checkpoint'],
  ['r', 'restore'],
  ['b', 'roll back'],
  ['u', 'undo'],
  ['m', 'mark'],
  ['/', 'filter'],
  ['?', 'help'],
  ['q', 'quit'],
];

const DIFF_KEYS: readonly Hint[] = [
  ['n N', 'file'],
  ['] [', 'hunk'],
  ['space', 'fold'],
  ['r', 'restore'],
  ['b', 'roll back'],
  ['esc', 'list'],
  ['?', 'help'],
  ['q', 'quit'],
];

type Hint = readonly [key: string, label: string];

export function lastLine(state: State, paints: Paints): string {
  const { typed, message, size, focus } = state;
  if (typed !== null) {
    const name = typed.purpose === 'filter' ? '/' : 'message (enter: create, esc: cancel):';
    const room = size.columns - name.length - 4;
    const text = styledWidth(typed.text) > room ? [...typed.text].slice(-Math.floor(room / 2)).join('') : typed.text;
    return fit(` ${paints.id(name)} ${text}${paints.inverse(' ')}`, size.columns);
  }
  if (message !== null) {
    const paint = { good: paints.good, bad: paints.bad, plain: (text: string) => text }[message.kind];
    return fit(` ${paint(message.text)}`, size.columns);
  }
  return hintLine(focus === 'list' ? LIST_KEYS : DIFF_KEYS, paints, size.columns);
}

/** Leaves out hints from the middle until the rest fits: help and quit stay. */
function hintLine(hints: readonly Hint[], paints: Paints, columns: number): string {
  const shown = hints.map(([key, label]) => `${paints.id(key)} ${label}`);
  for (let left = shown; left.length > 2; left = [...left.slice(0, -3), ...left.slice(-2)]) {
    const line = ` ${left.join('   ')}`;
    if (styledWidth(line) < columns) return fit(line, columns);
  }
  return fit(` ${shown.slice(-2).join('   ')}`, columns);
}
