/**
 * The screen of an emulator as text that draws it again. The serializer of xterm.js is not used: it draws for a terminal
 * that scrolls, and loses the background of empty rows.
 */
import type { IBufferCell, Terminal } from '@xterm/headless';

/** The style of a cell, or that of the text to come. */
type Style = Pick<
  IBufferCell,
  | 'isBold'
  | 'isDim'
  | 'isItalic'
  | 'isUnderline'
  | 'isBlink'
  | 'isInverse'
  | 'isInvisible'
  | 'isStrikethrough'
  | 'isOverline'
  | 'getFgColor'
  | 'getBgColor'
  | 'isFgRGB'
  | 'isFgPalette'
  | 'isBgRGB'
  | 'isBgPalette'
>;

interface Internals {
  readonly _core: { readonly _inputHandler: { readonly _curAttrData: Style } };
}

const PLAIN = '\x1b[0m';

/** Draws all rows of the screen on an empty one. Each row is positioned, so that a width that differs affects one row. */
export function drawRows(terminal: Terminal): string {
  return Array.from({ length: terminal.rows }, (_, row) => drawRow(terminal, row)).join('');
}

export function isBlank(terminal: Terminal): boolean {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: terminal.rows }, (_, row) => active.getLine(active.baseY + row));
  return rows.every((row) => (row?.translateToString(true) ?? '').trim() === '');
}

/**
 * Places the cursor, which may wait behind the last column, and sets the style of the text to come.
 * @param top the first row to which positions refer, from 0
 */
export function drawCursor(terminal: Terminal, top: number): string {
  const { cursorX: column, cursorY: row } = terminal.buffer.active;
  const line = row + 1 - top;
  const waits = column >= terminal.cols;
  const cell = waits ? cellAt(terminal, terminal.cols - 1, row) : undefined;
  const isWide = cell?.getWidth() === 0;
  const last = isWide ? cellAt(terminal, terminal.cols - 2, row) : cell;
  const drawn = last === undefined ? '' : styleText(last) + (last.getChars() || ' ');
  const from = waits ? terminal.cols - (isWide ? 1 : 0) : column + 1;
  return `\x1b[${line};${from}H${drawn}${penText(terminal)}`;
}

function drawRow(terminal: Terminal, row: number): string {
  let text = '';
  let style = PLAIN;
  /** Up to here, all cells are as in an empty row. */
  let needed = 0;
  for (let column = 0; column < terminal.cols; column++) {
    const cell = cellAt(terminal, column, row);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const wanted = styleText(cell);
    if (wanted !== style) text += wanted;
    style = wanted;
    text += cell.getChars() || ' ';
    if (wanted !== PLAIN || (cell.getChars() || ' ') !== ' ') needed = text.length;
  }
  return needed === 0 ? '' : `\x1b[${row + 1};1H${PLAIN}${text.slice(0, needed)}${PLAIN}`;
}

function cellAt(terminal: Terminal, column: number, row: number): IBufferCell | undefined {
  const { active } = terminal.buffer;
  return active.getLine(active.baseY + row)?.getCell(column);
}

/** The style of the text to come has no interface, but the pinned version has it. */
function penText(terminal: Terminal): string {
  return styleText((terminal as unknown as Internals)._core._inputHandler._curAttrData);
}

const FLAGS = [
  ['isBold', 1],
  ['isDim', 2],
  ['isItalic', 3],
  ['isUnderline', 4],
  ['isBlink', 5],
  ['isInverse', 7],
  ['isInvisible', 8],
  ['isStrikethrough', 9],
  ['isOverline', 53],
] as const;

function styleText(style: Style): string {
  const flags = FLAGS.flatMap(([name, code]) => (style[name]() ? [code] : []));
  const front = colourCodes(38, style.getFgColor(), Boolean(style.isFgRGB()), Boolean(style.isFgPalette()));
  const back = colourCodes(48, style.getBgColor(), Boolean(style.isBgRGB()), Boolean(style.isBgPalette()));
  return `\x1b[${[0, ...flags, ...front, ...back].join(';')}m`;
}

function colourCodes(start: number, colour: number, isRgb: boolean, isPalette: boolean): readonly number[] {
  if (isRgb) return [start, 2, (colour >> 16) & 255, (colour >> 8) & 255, colour & 255];
  if (!isPalette) return [];
  if (colour < 8) return [start - 8 + colour];
  return colour < 16 ? [start + 52 + colour - 8] : [start, 5, colour];
}
