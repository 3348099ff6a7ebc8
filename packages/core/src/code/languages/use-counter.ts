import type { Use } from '../facts.ts';

const MOST_LINES = 20;

/** Counts where names are used, in the order of the file. */
export class UseCounter {
  readonly #uses = new Map<string, { readonly lines: number[]; count: number }>();

  /** @param line from 1 */
  add(name: string, line: number): void {
    const use = this.#uses.get(name);
    if (use === undefined) {
      this.#uses.set(name, { lines: [line], count: 1 });
      return;
    }
    use.count++;
    if (use.lines.length < MOST_LINES && use.lines.at(-1) !== line) use.lines.push(line);
  }

  all(): Use[] {
    return [...this.#uses].map(([name, { lines, count }]) => ({ name, lines, count }));
  }
}
