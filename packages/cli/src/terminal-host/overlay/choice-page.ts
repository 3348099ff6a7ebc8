/** Asks, over the program, which of several ways to go. Opens by itself, so nothing happens by what the user is typing. */
import { clip } from './clip.ts';
import type { Ui } from './ui.ts';

export interface WayOn<T> {
  readonly label: string;
  readonly value: T;
}

const KEYS = 'Up and Down choose, Enter confirms. What you type goes to the program.';

/**
 * @param lines safe to print
 * @param otherwise chosen at first, by Esc, and if the program ends: the way on that loses nothing
 */
export async function chooseWay<T>(
  ui: Ui,
  lines: readonly string[],
  ways: readonly WayOn<T>[],
  otherwise: WayOn<T>,
): Promise<T> {
  const all = [otherwise, ...ways];
  let chosen = 0;
  let typed = '';
  for (;;) {
    draw(
      ui,
      lines,
      all.map(({ label }) => label),
      chosen,
    );
    const event = await ui.next();
    if (event === 'closed') return otherwise.value;
    if (event === 'redraw') continue;
    const { key } = event;
    if (typeof key !== 'string') typed += key.text;
    else if (key === 'up') chosen = Math.max(0, chosen - 1);
    else if (key === 'down') chosen = Math.min(all.length - 1, chosen + 1);
    else if (key === 'enter' || key === 'escape') {
      if (typed !== '') ui.program?.handBack(typed);
      return (key === 'enter' ? (all[chosen] ?? otherwise) : otherwise).value;
    }
  }
}

function draw(ui: Ui, lines: readonly string[], labels: readonly string[], chosen: number): void {
  const { columns, rows } = ui.size;
  const choices = labels.map((label, index) => `${index === chosen ? '> ' : '  '}${label}`);
  const room = Math.max(1, rows - choices.length - 3);
  const shown = lines.length > room ? [...lines.slice(0, room - 1), '…'] : lines;
  const styled = choices.map((text, index) => (index === chosen ? ui.style.strong(text) : text));
  ui.draw([...shown.map((line) => clip(line, columns)), '', ...styled, '', ui.style.faint(KEYS)]);
}
