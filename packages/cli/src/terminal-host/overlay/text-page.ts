/** A page of text to scroll in, with choices below. */
import { apart } from './clip.ts';
import type { Key } from './keys.ts';
import type { Ui } from './ui.ts';

export interface TextPage<Choice extends string> {
  readonly title: string;
  readonly lines: readonly string[] | (() => readonly string[]);
  /** The letter to type, what it does, and the result. */
  readonly choices: readonly (readonly [letter: string, label: string, choice: Choice])[];
  /** For Esc, for q, c and n unless they are choices, and for the end of the program. */
  readonly cancelled: Choice;
  /** For Enter. Default: `cancelled`. */
  readonly entered?: Choice;
  /** Looked at before each drawing: what is chosen by itself. */
  readonly until?: () => Choice | null;
}

/** Rows of the title, the empty ones and the choices. */
const FRAME_ROWS = 4;
const CANCELS = ['q', 'c', 'n'];

export async function showPage<Choice extends string>(ui: Ui, page: TextPage<Choice>): Promise<Choice> {
  let top = 0;
  for (;;) {
    const decided = page.until?.() ?? null;
    if (decided !== null) return decided;
    const lines = typeof page.lines === 'function' ? page.lines() : page.lines;
    const height = Math.max(1, ui.size.rows - FRAME_ROWS);
    const last = Math.max(0, lines.length - height);
    top = Math.min(top, last);
    ui.draw(pageLines(ui, { ...page, lines }, top, height));
    const event = await ui.next();
    if (event === 'closed') return page.cancelled;
    if (event === 'redraw') continue;
    const { key } = event;
    const chosen = typeof key === 'string' ? undefined : page.choices.find(([letter]) => letter === key.text);
    if (chosen !== undefined) return chosen[2];
    if (key === 'enter') return page.entered ?? page.cancelled;
    if (key === 'escape' || CANCELS.some((letter) => isLetter(key, letter))) return page.cancelled;
    top = Math.min(last, Math.max(0, top + scrolled(key, height)));
  }
}

export function isLetter(key: Key, letter: string): boolean {
  return typeof key !== 'string' && key.text === letter;
}

/** How a key moves in a list or a text, in rows. */
export function scrolled(key: Key, height: number): number {
  if (key === 'up' || isLetter(key, 'k')) return -1;
  if (key === 'down' || isLetter(key, 'j')) return 1;
  if (key === 'page-up' || isLetter(key, 'b')) return -height;
  if (key === 'page-down' || isLetter(key, ' ')) return height;
  if (key === 'home' || isLetter(key, 'g')) return Number.NEGATIVE_INFINITY;
  return key === 'end' || isLetter(key, 'G') ? Number.POSITIVE_INFINITY : 0;
}

/** `y restore   n cancel`, with the letters emphasised. */
export function choicesLine(
  ui: Ui,
  choices: readonly (readonly [letter: string, label: string, ...unknown[]])[],
): string {
  return ` ${choices.map(([letter, label]) => `${ui.style.id(letter)} ${label}`).join('   ')}`;
}

function pageLines(
  ui: Ui,
  { title, lines, choices }: Pick<TextPage<string>, 'title' | 'choices'> & { readonly lines: readonly string[] },
  top: number,
  height: number,
): readonly string[] {
  const { columns } = ui.size;
  const end = Math.min(lines.length, top + height);
  const isMore = end < lines.length;
  const hint = isMore ? 'more: ↓ space' : 'back: ↑ b';
  const place = lines.length > height ? ui.style.faint(`${end} of ${lines.length} lines, ${hint} `) : '';
  const shown = lines.slice(top, end).map((line) => ` ${line}`);
  const filler = Array.from({ length: height - shown.length }, () => '');
  return [apart(` ${ui.style.strong(title)}`, place, columns), '', ...shown, ...filler, '', choicesLine(ui, choices)];
}
