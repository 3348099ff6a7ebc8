/** A conversation, as the rows of its transcript build it up. Each row takes constant time: a transcript is untrusted. */

import type { MessageRow, TranscriptRow } from './row.ts';

/** A row of an agent that keeps abandoned branches. */
interface Node {
  readonly parent: Node | null;
  readonly message: MessageRow | null;
}

/** The messages of a conversation without those that the user went back from. */
export class Conversation {
  readonly #log = new MessageLog();
  readonly #nodes = new Map<string, Node>();
  /** The last row; null for an agent whose rows form no branches. */
  #leaf: { readonly id: string; readonly node: Node } | null = null;

  add(row: TranscriptRow): void {
    switch (row.kind) {
      case 'about':
        return;
      case 'replaced':
        this.#log.replace(row.messages);
        return;
      case 'cut':
        this.#log.cut(row.from);
        return;
      case 'node': {
        // A row after one that is not known, as after a compaction, continues the branch.
        const known = row.after === null ? undefined : this.#nodes.get(row.after);
        this.#setLeaf(row.id, { parent: known ?? this.#leaf?.node ?? null, message: null });
        return;
      }
      case 'message':
        if (this.#leaf === null) this.#log.add(row);
        else this.#setLeaf(this.#leaf.id, { ...this.#leaf.node, message: row });
    }
  }

  /** Computed at each access. */
  get messages(): readonly MessageRow[] {
    if (this.#leaf === null) return this.#log.messages;
    const newestFirst: MessageRow[] = [];
    for (let node: Node | null = this.#leaf.node; node !== null; node = node.parent) {
      if (node.message !== null) newestFirst.push(node.message);
    }
    const log = new MessageLog();
    for (const message of newestFirst.reverse()) log.add(message);
    return log.messages;
  }

  #setLeaf(id: string, node: Node): void {
    this.#nodes.set(id, node);
    this.#leaf = { id, node };
  }
}

/** Messages in order. One that is written again replaces the earlier one, and keeps its text if it has none. */
class MessageLog {
  readonly #messages: MessageRow[] = [];
  readonly #places = new Map<string, number>();

  get messages(): readonly MessageRow[] {
    return this.#messages;
  }

  add(row: MessageRow): void {
    const place = this.#places.get(row.id) ?? this.#messages.length;
    const text = row.text ?? this.#messages[place]?.text ?? null;
    this.#places.set(row.id, place);
    this.#messages[place] = { ...row, text };
  }

  replace(messages: readonly MessageRow[]): void {
    this.#keepFirst(0);
    for (const message of messages) this.add(message);
  }

  /** If the message is not known, all are gone. */
  cut(from: string): void {
    this.#keepFirst(this.#places.get(from) ?? 0);
  }

  #keepFirst(count: number): void {
    for (const { id } of this.#messages.splice(count)) this.#places.delete(id);
  }
}
