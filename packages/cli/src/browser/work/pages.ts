/** Pages with previews and questions over the panes: those of the overlay of `savepoint run`, inside our frame. */

import { Ui } from '../../terminal-host/overlay/ui.ts';
import type { Style } from '../../view.ts';
import { layoutOf } from '../layout.ts';
import type { Size } from '../model.ts';

export class PageUi extends Ui {
  readonly #show: (lines: readonly string[]) => void;

  constructor(style: Style, size: () => Size, show: (lines: readonly string[]) => void) {
    super({ size: () => layoutOf(size()).page, write: () => undefined, passToProgram: () => undefined }, style);
    this.#show = show;
  }

  override draw(lines: readonly string[]): void {
    this.#show(lines);
  }
}
