/** Pages with previews and questions over the panes: those of the overlay of `savepoint run`, inside our frame. */

import { Ui, type UiEvent } from '../../terminal-host/overlay/ui.ts';
import type { Style } from '../../view.ts';
import { layoutOf } from '../layout.ts';
import type { Size } from '../model.ts';

export class PageUi extends Ui {
  readonly #show: (lines: readonly string[]) => void;
  #isAsking = false;

  constructor(style: Style, size: () => Size, show: (lines: readonly string[]) => void) {
    const nothing = { write: () => undefined, passToProgram: () => undefined, program: null };
    super({ size: () => layoutOf(size()).page, ...nothing }, style);
    this.#show = show;
  }

  /** What is typed while nothing is asked must not answer the next question. */
  override type(bytes: Buffer): void {
    if (this.#isAsking) super.type(bytes);
  }

  override async next(): Promise<UiEvent> {
    this.#isAsking = true;
    const event = await super.next();
    this.#isAsking = false;
    return event;
  }

  override draw(lines: readonly string[]): void {
    this.#show(lines);
  }
}
