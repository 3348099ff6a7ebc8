/**
 * How far a page has read the events of a timeline, as the id of an event. A checkpoint can appear late, under a lower
 * number than the newest: recovery publishes it. So a position also says which of the numbers just below have been seen.
 */

export interface Position {
  /** The highest number of a checkpoint whose events were sent. */
  readonly number: number;
  /** The last of its events that was sent; null: all of them. */
  readonly index: number | null;
  /** The numbers below that were seen, among the last {@link REMEMBERED}. All before these count as seen. */
  readonly seenBelow: ReadonlySet<number>;
}

/** Numbers that a position remembers. Only operations that are pending at the same time appear late. */
export const REMEMBERED = 32;

const ID = /^(0|[1-9]\d{0,8})\.(\d{1,6}|all)\.([0-9a-f]{8})$/;

export function positionId({ number, index, seenBelow }: Position): string {
  const mask = [...seenBelow].reduce(
    (bits, seen) => (isRemembered(seen, number) ? bits + 2 ** (number - seen - 1) : bits),
    0,
  );
  return `${number}.${index ?? 'all'}.${mask.toString(16).padStart(8, '0')}`;
}

/** @returns null if it is not the id of an event */
export function readPosition(id: string): Position | null {
  const [, number, index, mask] = ID.exec(id) ?? [];
  if (number === undefined || index === undefined || mask === undefined) return null;
  const [top, bits] = [Number(number), Number.parseInt(mask, 16)];
  const below = Array.from({ length: REMEMBERED }, (_, back) => back).filter((back) => ((bits >>> back) & 1) === 1);
  return {
    number: top,
    index: index === 'all' ? null : Number(index),
    seenBelow: new Set(below.map((back) => top - back - 1)),
  };
}

/** The number after which a watch must start, so that it finds everything that was not sent. */
export function watchAfter({ number }: Position): number {
  return Math.max(0, number - REMEMBERED - 1);
}

/** Decides for each event of a watch whether it is sent, and with which id. */
export class EventCursor {
  #position: Position;
  /** Where the event before was. */
  #last = { number: 0, index: -1 };
  /** The late checkpoint whose events are being sent. It counts as seen once the next checkpoint comes. */
  #late: number | null = null;

  constructor(position: Position) {
    this.#position = position;
  }

  /**
   * @param number of the checkpoint of the next event; null if it belongs to none
   * @returns null if the event was sent before; its id is null if the page must keep the id before
   */
  next(number: number | null): { readonly id: string | null } | null {
    if (number === null) return { id: null };
    const index = number === this.#last.number ? this.#last.index + 1 : 0;
    this.#last = { number, index };
    if (this.#late !== null && number !== this.#late) {
      this.#position = { ...this.#position, seenBelow: new Set([...this.#position.seenBelow, this.#late]) };
      this.#late = null;
    }
    const top = this.#position.number;
    if (number < top) {
      if (!isRemembered(number, top) || this.#position.seenBelow.has(number)) return null;
      this.#late = number;
      // If the page comes back now, it gets all events of this checkpoint again.
      return { id: null };
    }
    if (number === top && (this.#position.index === null || index <= this.#position.index)) return null;
    const seenBelow =
      number === top
        ? this.#position.seenBelow
        : new Set([...this.#position.seenBelow, top].filter((one) => isRemembered(one, number)));
    this.#position = { number, index, seenBelow };
    return { id: positionId(this.#position) };
  }
}

function isRemembered(number: number, top: number): boolean {
  return number < top && number >= top - REMEMBERED && number >= 1;
}
