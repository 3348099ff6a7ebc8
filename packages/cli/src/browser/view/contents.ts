/**
 * The lines inside the frames. They do not go through ink, which would make an object of each character: that took most of
 * the time of a key press.
 */
import { isTooSmall, layoutOf, type Pane } from '../layout.ts';
import type { State } from '../model.ts';
import { diffPaneLines } from './diff-view.ts';
import { listLines } from './list-view.ts';
import type { Paints } from './paint.ts';
import { fit } from './text.ts';

/** Lines at a place of the screen, each of exactly the width of the pane. */
export interface Content {
  readonly pane: Pane;
  readonly lines: readonly string[];
}

/** @param now in milliseconds since 1970 */
export function contentsOf(state: State, paints: Paints, now: number): readonly Content[] {
  if (isTooSmall(state.size)) return [];
  const { page, list, diff } = layoutOf(state.size);
  if (state.page !== null)
    return [
      filled(
        page,
        state.page.map((line) => fit(line, page.columns)),
      ),
    ];
  return [filled(list, listLines(state, paints, now)), filled(diff, diffPaneLines(state, paints))];
}

function filled(pane: Pane, lines: readonly string[]): Content {
  const empty = ' '.repeat(pane.columns);
  return { pane, lines: Array.from({ length: pane.rows }, (_, row) => lines[row] ?? empty) };
}
