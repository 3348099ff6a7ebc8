import type { Call, Use } from '../facts.ts';

/** How many lines and calls are kept of each name. */
const MOST_PLACES = 20;

/** Counts where names are used, in the order of the file. */
export class UseCounter {
  readonly #uses = new Map<string, { readonly lines: number[]; readonly calls: Call[]; count: number }>();

  /**
   * @param line from 1
   * @param call the call, if it is one
   */
  add(name: string, line: number, call?: Call): void {
    const use = this.#uses.get(name);
    if (use === undefined) {
      this.#uses.set(name, { lines: [line], calls: call === undefined ? [] : [call], count: 1 });
      return;
    }
    use.count++;
    if (call !== undefined && use.calls.length < MOST_PLACES) use.calls.push(call);
    if (use.lines.length < MOST_PLACES && use.lines.at(-1) !== line) use.lines.push(line);
  }

  all(): Use[] {
    return [...this.#uses].map(([name, { lines, calls, count }]) => ({
      name,
      lines,
      count,
      ...(calls.length > 0 ? { calls } : {}),
    }));
  }
}
