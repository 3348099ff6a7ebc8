/** Properties of the output: terminal or not, width, style. */
import { isatty } from 'node:tty';

type Environment = Readonly<Record<string, string | undefined>>;
type Paint = (text: string) => string;

export interface Style {
  readonly strong: Paint;
  readonly faint: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly id: Paint;
}

export interface OutputView {
  readonly style: Style;
  /** In columns. */
  readonly width: number;
  readonly isTerminal: boolean;
  /**
   * A page of the browser or the overlay, where keys do what options do, and no command can be typed. Its texts name
   * neither, and list everything, because the page scrolls.
   */
  readonly isPage: boolean;
}

const PLAIN_WIDTH = 100;

const as =
  (code: number, end: number): Paint =>
  (text) =>
    `\x1b[${code}m${text}\x1b[${end}m`;
const plain: Paint = (text) => text;

export const PLAIN: Style = { strong: plain, faint: plain, good: plain, bad: plain, id: plain };
const COLOURS: Style = { strong: as(1, 22), faint: as(2, 22), good: as(32, 39), bad: as(31, 39), id: as(33, 39) };

/** What a stream leads to. `columns` is undefined if its width is not known. */
export interface Stream {
  readonly isTerminal: boolean;
  readonly columns: number | undefined;
}

export function outputViewOf(fd: 1 | 2, env: Environment): OutputView {
  return viewOfStream(streamOf(fd), env);
}

export function streamOf(fd: 1 | 2): Stream {
  const isTerminal = isatty(fd);
  return { isTerminal, columns: isTerminal ? (fd === 1 ? process.stdout : process.stderr).columns : undefined };
}

/** Colours are used only on terminals, unless NO_COLOR is set (https://no-color.org) or TERM is dumb. */
export function viewOfStream({ isTerminal, columns }: Stream, env: Environment): OutputView {
  const coloured = isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const width = columns && columns > 0 ? columns : PLAIN_WIDTH;
  return { style: coloured ? COLOURS : PLAIN, width, isTerminal, isPage: false };
}
