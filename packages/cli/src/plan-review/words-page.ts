/** Lets a person type some words on the screen. */
import { showText } from '@savepoint/core';
import { wrap } from '../browser/view/text.ts';
import { choicesLine } from '../terminal-host/overlay/text-page.ts';
import type { Ui } from '../terminal-host/overlay/ui.ts';

/** @returns null: nothing was typed, or Esc */
export async function typeWords(ui: Ui, question: string): Promise<string | null> {
  let typed = '';
  for (;;) {
    const { columns, rows } = ui.size;
    const room = Math.max(10, columns - 4);
    const lines = wrap(`${showText(typed)}▏`, room, Math.max(1, rows - 5));
    const keys = choicesLine(ui, [
      ['Enter', 'send'],
      ['Esc', 'back'],
    ]);
    const filler = Array.from({ length: Math.max(0, rows - 4 - lines.length) }, () => '');
    ui.draw([` ${ui.style.strong(question)}`, '', ...lines.map((line) => `  ${line}`), ...filler, '', keys]);
    const event = await ui.next();
    if (event === 'closed') return null;
    if (event === 'redraw') continue;
    const { key } = event;
    if (key === 'escape') return null;
    if (key === 'enter') return typed.trim() === '' ? null : typed.trim();
    if (key === 'backspace') typed = [...typed].slice(0, -1).join('');
    else if (typeof key !== 'string') typed += key.text;
  }
}
