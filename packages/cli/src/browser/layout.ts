/** Where the panes are, for a size of the terminal. */
import type { Size } from './model.ts';

export interface Pane {
  /** Of the content, inside the frame; the first row and column of the terminal are 0. */
  readonly top: number;
  readonly left: number;
  readonly columns: number;
  readonly rows: number;
}

export interface Layout {
  readonly isBeside: boolean;
  readonly list: Pane;
  readonly diff: Pane;
  /** A page over both panes. */
  readonly page: Pane;
}

/** The title at the top and the keys at the bottom. */
const OUTER_ROWS = 2;
const FRAME = 2;
/** Below the title, inside the frame. */
const FIRST = { top: 2, left: 1 };
const BESIDE_COLUMNS = 110;
const [LEAST_LIST, MOST_LIST] = [44, 72];
const USABLE: Size = { columns: 40, rows: 10 };
const SMALLEST: Size = { columns: 20, rows: 8 };

/** Smaller, nothing useful can be shown. */
export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < USABLE.columns || rows < USABLE.rows;
}

export function layoutOf({ columns: given, rows: givenRows }: Size): Layout {
  const columns = Math.max(SMALLEST.columns, given);
  const rows = Math.max(SMALLEST.rows, givenRows) - OUTER_ROWS;
  const page = { ...FIRST, columns: columns - FRAME, rows: rows - FRAME };
  if (columns >= BESIDE_COLUMNS) {
    const list = Math.min(MOST_LIST, Math.max(LEAST_LIST, Math.floor(columns * 0.4)));
    return {
      isBeside: true,
      list: { ...FIRST, columns: list - FRAME, rows: rows - FRAME },
      diff: { top: FIRST.top, left: list + 1, columns: columns - list - FRAME, rows: rows - FRAME },
      page,
    };
  }
  const list = Math.max(4, Math.floor(rows * 0.4));
  return {
    isBeside: false,
    list: { ...FIRST, columns: columns - FRAME, rows: list - FRAME },
    diff: { top: FIRST.top + list, left: FIRST.left, columns: columns - FRAME, rows: rows - list - FRAME },
    page,
  };
}
