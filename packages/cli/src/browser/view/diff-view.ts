/** The lines of the diff pane that are in view. */
import { lineCounts } from '../../show/format.ts';
import { type DiffLine, diffLines } from '../diff/diff-lines.ts';
import { type Part, partsOf, type Syntax } from '../diff/highlight.ts';
import type { PatchFile, PatchLine } from '../diff/patch-file.ts';
import { layoutOf } from '../layout.ts';
import type { State } from '../model.ts';
import type { Paints } from './paint.ts';
import { ends, fit } from './text.ts';

const NUMBER_COLUMNS = 5;

export function diffPaneLines(state: State, paints: Paints): readonly string[] {
  const { columns, rows } = layoutOf(state.size).diff;
  const { diff, focus } = state;
  return diffLines(diff)
    .slice(diff.top, diff.top + rows)
    .map((line, index) => {
      const isChosen = focus === 'diff' && diff.top + index === diff.cursor;
      return drawn(line, { paints, columns, left: diff.left, isChosen });
    });
}

interface Context {
  readonly paints: Paints;
  readonly columns: number;
  readonly left: number;
  readonly isChosen: boolean;
}

function drawn(line: DiffLine, context: Context): string {
  const { paints, columns, isChosen } = context;
  switch (line.kind) {
    case 'heading':
      return fit(` ${line.text}`, columns);
    case 'space':
      return ' '.repeat(columns);
    case 'file':
      return isChosen
        ? paints.inverse(fileLine(line.file, line.isFolded, context))
        : fileLine(line.file, line.isFolded, context);
    case 'line':
      return patchLine(line.file, line.line, context);
  }
}

function fileLine(file: PatchFile, isFolded: boolean, { paints, columns, isChosen }: Context): string {
  const arrow = isFolded ? '▸' : '▾';
  const [plus, minus] = [lineCounts(file.added, 0), lineCounts(0, file.removed)];
  const word = ['new', 'deleted', 'renamed'].includes(file.word) ? ` ${file.word}` : '';
  if (isChosen) return ends(`${arrow} ${file.title}${word}`, `${[plus, minus].join(' ').trim()} `, columns);
  const title = file.word === 'deleted' ? paints.bad(file.title) : file.title;
  const right = [paints.good(plus), paints.bad(minus)].filter((part) => part !== '').join(' ');
  return ends(paints.strong(`${paints.place(arrow)} ${title}${paints.faint(word)}`), `${right} `, columns);
}

function patchLine(file: PatchFile, line: PatchLine, context: Context): string {
  const { paints, columns, left, isChosen } = context;
  if (line.kind === 'hunk' || line.kind === 'note') {
    const text = fit(`${' '.repeat(NUMBER_COLUMNS)} ${line.text}`, columns);
    if (isChosen) return paints.inverse(text);
    return line.kind === 'hunk' ? paints.name(text) : paints.faint(text);
  }
  const number = String(line.number).padStart(NUMBER_COLUMNS);
  const sign = line.kind === 'added' ? '+' : line.kind === 'removed' ? '-' : ' ';
  const room = columns - NUMBER_COLUMNS - 2;
  if (isChosen) return paints.inverse(fit(`${number} ${sign}${shifted(line.text, left)}`, columns));
  const paint = line.kind === 'added' ? paints.good : line.kind === 'removed' ? paints.bad : plain;
  const text = line.kind === 'removed' ? paint(shifted(line.text, left)) : coloured(file, line, context);
  const gutter = line.kind === 'context' ? paints.faint(number) : paint(number);
  return `${gutter} ${paint(sign)}${fit(text, room)}`;
}

/** Removed lines have one colour, so that they are not read as the current code. */
function coloured(
  file: PatchFile,
  line: Exclude<PatchLine, { kind: 'hunk' } | { kind: 'note' }>,
  context: Context,
): string {
  const { paints, left } = context;
  const base = line.kind === 'added' ? paints.good : plain;
  const parts = partsOf(file, line);
  if (parts === null) return base(shifted(line.text, left));
  let skip = left;
  return parts
    .map(([syntax, given]: Part) => {
      const text = expanded(given).slice(skip);
      skip = Math.max(0, skip - expanded(given).length);
      return painted(syntax, text, paints, base);
    })
    .join('');
}

function painted(syntax: Syntax, text: string, paints: Paints, base: (text: string) => string): string {
  switch (syntax) {
    case 'plain':
      return base(text);
    case 'comment':
      return paints.faint(base(text));
    case 'string':
      return paints.literal(text);
    case 'literal':
      return paints.name(text);
    case 'keyword':
      return paints.keyword(text);
    case 'call':
      return paints.call(text);
  }
}

function shifted(text: string, left: number): string {
  return expanded(text).slice(left);
}

function expanded(text: string): string {
  return text.replaceAll('\t', '    ');
}

function plain(text: string): string {
  return text;
}
