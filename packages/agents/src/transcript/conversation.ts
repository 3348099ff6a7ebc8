/** A conversation, as the rows of its transcript build it up. */

import type { MessageRow, TranscriptRow } from './row.ts';

/** What is known of the messages up to one row. */
interface Branch {
  readonly parent: string | null;
  readonly message: MessageRow | null;
}

/** The messages of a conversation without those that the user went back from, and what is known about it. */
export class Conversation {
  #messages: MessageRow[] = [];
  readonly #branches = new Map<string, Branch>();
  #leaf: string | null = null;
  model: string | null = null;
  contextSize: number | null = null;
  version: string | null = null;

  add(row: TranscriptRow): void {
    switch (row.kind) {
      case 'about':
        this.model = row.model ?? this.model;
        this.contextSize = row.contextSize ?? this.contextSize;
        this.version = row.version ?? this.version;
        return;
      case 'replaced':
        this.#messages = [...row.messages];
        return;
      case 'cut':
        this.#messages = this.#messages.slice(
          0,
          Math.max(
            0,
            this.#messages.findIndex(({ id }) => id === row.from),
          ),
        );
        return;
      case 'node': {
        const isKnown = row.after !== null && this.#branches.has(row.after);
        if (isKnown && row.after !== this.#leaf) this.#messages = this.#upTo(row.after);
        this.#branches.set(row.id, { parent: isKnown ? row.after : this.#leaf, message: null });
        this.#leaf = row.id;
        return;
      }
      case 'message':
        this.#addMessage(row);
    }
  }

  get messages(): readonly MessageRow[] {
    return this.#messages;
  }

  #addMessage(row: MessageRow): void {
    const at = this.#messages.findLastIndex(({ id }) => id === row.id);
    const earlier = this.#messages[at];
    if (earlier === undefined) this.#messages.push(row);
    else this.#messages[at] = { ...row, text: row.text ?? earlier.text };
    if (this.#leaf !== null) {
      const { parent } = this.#branches.get(this.#leaf) as Branch;
      this.#branches.set(this.#leaf, { parent, message: row });
    }
  }

  /** The messages of a branch, from the root to this row. */
  #upTo(leaf: string | null): MessageRow[] {
    const found: MessageRow[] = [];
    const seen = new Set<string>();
    for (let id = leaf; id !== null && !seen.has(id); id = this.#branches.get(id)?.parent ?? null) {
      seen.add(id);
      const message = this.#branches.get(id)?.message;
      if (message && message.id !== found[0]?.id) found.unshift(message);
    }
    return found;
  }
}
