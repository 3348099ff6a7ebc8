/** Splits a stream of bytes into lines. It discards lines that are too long while they arrive. */
import { ID_REACH } from './frame.ts';

export type WireLine =
  | { readonly kind: 'line'; readonly bytes: Uint8Array }
  /** `start`, `end`: the parts that were kept. */
  | { readonly kind: 'too-long'; readonly length: number; readonly start: Uint8Array; readonly end: Uint8Array };

const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

export class LineReader {
  #parts: Uint8Array[] = [];
  #length = 0;
  /** The first and the last bytes of a line that is too long. */
  #start: Uint8Array = NOTHING;
  #end: Uint8Array = NOTHING;

  /** @param limit the most bytes of a line */
  constructor(private readonly limit: number) {}

  *read(chunk: Uint8Array): Generator<WireLine> {
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#take(chunk.subarray(from, at));
      from = at + 1;
      yield this.#finish();
    }
    this.#take(chunk.subarray(from));
  }

  #take(part: Uint8Array): void {
    if (part.length === 0) return;
    const wasTooLong = this.#length > this.limit;
    this.#length += part.length;
    if (this.#length <= this.limit) {
      this.#parts.push(part);
      return;
    }
    if (!wasTooLong) {
      const held = Buffer.concat([...this.#parts, part.subarray(0, ID_REACH)]);
      this.#start = Buffer.from(held.subarray(0, ID_REACH));
      this.#end = Buffer.from(held.subarray(-ID_REACH));
      this.#parts = [];
    }
    this.#end = Buffer.from(Buffer.concat([this.#end, part.subarray(-ID_REACH)]).subarray(-ID_REACH));
  }

  #finish(): WireLine {
    const length = this.#length;
    const line: WireLine =
      length > this.limit
        ? { kind: 'too-long', length, start: this.#start, end: this.#end }
        : { kind: 'line', bytes: Buffer.concat(this.#parts) };
    this.#parts = [];
    this.#length = 0;
    this.#start = NOTHING;
    this.#end = NOTHING;
    return line;
  }
}
