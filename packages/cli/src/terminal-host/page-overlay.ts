/** Connects the host with pages over the program, which are loaded when they are first needed. */
import type { Style } from '../view.ts';
import type { OverlayTerminal, Ui } from './overlay/ui.ts';
import type { Overlay } from './overlay-session.ts';

export class PageOverlay implements Overlay {
  readonly #style: Style;
  readonly #show: (ui: Ui) => Promise<void>;
  #ui: Ui | null = null;
  #isClosed = false;
  readonly #early: Buffer[] = [];

  /** @param show draws the pages, and returns when the user goes back to the program */
  constructor(style: Style, show: (ui: Ui) => Promise<void>) {
    this.#style = style;
    this.#show = show;
  }

  async run(terminal: OverlayTerminal): Promise<void> {
    const { Ui } = await import('./overlay/ui.ts');
    const ui = new Ui(terminal, this.#style);
    this.#ui = ui;
    for (const bytes of this.#early.splice(0)) ui.type(bytes);
    if (this.#isClosed) ui.close();
    await this.#show(ui);
  }

  type(bytes: Buffer): void {
    if (this.#ui === null) this.#early.push(bytes);
    else this.#ui.type(bytes);
  }

  redraw(): void {
    this.#ui?.redraw();
  }

  close(): void {
    this.#isClosed = true;
    this.#ui?.close();
  }
}
