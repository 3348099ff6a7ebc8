/** A page to choose some of the paths that an operation would change. */
import type { JsonName } from '@savepoint/core';
import { listedPaths, type OperationJson, planLines } from '../../show/plan.ts';
import { apart } from '../../terminal-host/overlay/clip.ts';
import { choicesLine, isLetter, scrolled } from '../../terminal-host/overlay/text-page.ts';
import type { Ui } from '../../terminal-host/overlay/ui.ts';

/** Title, an empty row on both sides of the list, and the keys. */
const FRAME_ROWS = 5;

/** @returns null if the user cancelled or chose nothing */
export async function chooseFiles(
  ui: Ui,
  title: string,
  operation: OperationJson,
): Promise<readonly JsonName[] | null> {
  const paths = listedPaths(operation).map(({ path }) => path);
  const lines = planLines(operation, ui.style);
  const chosen = new Set<JsonName>();
  let [at, top] = [0, 0];
  for (;;) {
    const height = Math.max(1, ui.size.rows - FRAME_ROWS);
    top = Math.max(0, Math.min(Math.max(Math.min(top, at), at - height + 1), paths.length - height));
    const shown = lines.slice(top, top + height).map((line, index) => {
      const path = paths[top + index];
      const box = path !== undefined && chosen.has(path) ? ui.style.good('[x]') : '[ ]';
      return ` ${top + index === at ? ui.style.id('▸') : ' '} ${box} ${line.trimStart()}`;
    });
    ui.draw([
      apart(` ${ui.style.strong(title)}`, ui.style.faint(`${chosen.size} of ${paths.length} chosen `), ui.size.columns),
      '',
      ...shown,
      ...Array.from({ length: Math.max(0, height - shown.length) }, () => ''),
      '',
      '',
      choicesLine(ui, [
        ['space', 'choose'],
        ['a', 'all or none'],
        ['enter', 'preview'],
        ['esc', 'cancel'],
      ]),
    ]);
    const event = await ui.next();
    if (event === 'closed') return null;
    if (event === 'redraw') continue;
    const { key } = event;
    if (key === 'escape' || isLetter(key, 'q')) return null;
    if (key === 'enter') return chosen.size === 0 ? null : [...chosen];
    const path = paths[at];
    if (isLetter(key, ' ') && path !== undefined) {
      if (!chosen.delete(path)) chosen.add(path);
      at = Math.min(paths.length - 1, at + 1);
    } else if (isLetter(key, 'a')) {
      const isAll = chosen.size === paths.length;
      chosen.clear();
      if (!isAll) for (const one of paths) chosen.add(one);
    } else at = Math.max(0, Math.min(paths.length - 1, at + scrolled(key, height)));
  }
}
