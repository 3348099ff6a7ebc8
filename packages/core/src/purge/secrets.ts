/** Text from purged contents, used to find places where people or agents quoted it. */
import { textOrBinary } from '../content/text-or-binary.ts';
import type { ObjectId } from '../model/ids.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';

/** Shorter lines and contents occur in many places and reveal nothing. */
const MIN_LENGTH = 8;
/** Larger contents are not searched for. */
const MAX_CONTENT_BYTES = 1024 * 1024;
/** Further lines are not searched for. */
const MAX_LINES = 20_000;

export class Secrets {
  readonly #lines = new Set<string>();
  /** As Latin-1: one character per byte. */
  readonly #contents: string[] = [];

  constructor(objects: ObjectReader, contents: Iterable<ObjectId>) {
    for (const id of contents) {
      const size = objects.info(id)?.size ?? 0;
      if (size < MIN_LENGTH || size > MAX_CONTENT_BYTES) continue;
      const bytes = readBlob(objects, id);
      this.#contents.push(bytes.toString('latin1'));
      if (textOrBinary(bytes) === 'text') this.#addLines(bytes.toString('utf8'));
    }
  }

  /** Whether a text contains a line of the contents, plain or escaped for JSON. */
  isMentionedIn(text: string): boolean {
    for (const line of this.#lines) if (text.includes(line)) return true;
    return false;
  }

  /**
   * Whether a file contains one of the contents as a whole.
   * @param bytes the file as Latin-1: one character per byte
   */
  isContainedIn(bytes: string): boolean {
    return this.#contents.some((content) => bytes.includes(content));
  }

  #addLines(text: string): void {
    for (const raw of text.split(/\r?\n/)) {
      const line = raw.trim();
      if (line.length < MIN_LENGTH || this.#lines.size >= MAX_LINES) continue;
      this.#lines.add(line);
      this.#lines.add(JSON.stringify(line).slice(1, -1));
    }
  }
}
