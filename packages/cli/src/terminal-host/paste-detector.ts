/** Whether the user is pasting: between the two marks that a terminal sends around a paste, wherever they are split. */
const START = Buffer.from('\x1b[200~');
const END = Buffer.from('\x1b[201~');

export class PasteDetector {
  #isPasting = false;
  /** The end of the input, where a mark may have started. */
  #tail: Buffer = Buffer.alloc(0);

  get isPasting(): boolean {
    return this.#isPasting;
  }

  follow(bytes: Buffer): void {
    let rest = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes]);
    for (;;) {
      const mark = this.#isPasting ? END : START;
      const at = rest.indexOf(mark);
      if (at < 0) break;
      this.#isPasting = !this.#isPasting;
      rest = rest.subarray(at + mark.length);
    }
    this.#tail = Buffer.from(rest.subarray(Math.max(0, rest.length - START.length + 1)));
  }
}
