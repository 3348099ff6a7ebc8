/** Connects the host with the overlay's pages, which are loaded when they are first needed. */
import { type Savepoint, showText } from '@savepoint/core';
import type { Style } from '../view.ts';
import type { HostedConversations } from './overlay/hosted-conversations.ts';
import type { OverlayTerminal, Ui } from './overlay/ui.ts';
import type { Overlay } from './overlay-session.ts';

export class GoBackOverlay implements Overlay {
  readonly #savepoint: Savepoint;
  readonly #style: Style;
  readonly #program: string;
  readonly #hosts: HostedConversations;
  #ui: Ui | null = null;
  #isClosed = false;
  readonly #early: Buffer[] = [];

  constructor(savepoint: Savepoint, style: Style, program: string, hosts: HostedConversations) {
    this.#savepoint = savepoint;
    this.#style = style;
    this.#program = showText(program);
    this.#hosts = hosts;
  }

  async run(terminal: OverlayTerminal): Promise<void> {
    const [{ Ui }, { showOverlay }] = await Promise.all([import('./overlay/ui.ts'), import('./overlay/overlay.ts')]);
    const ui = new Ui(terminal, this.#style);
    this.#ui = ui;
    for (const bytes of this.#early.splice(0)) ui.type(bytes);
    if (this.#isClosed) ui.close();
    await showOverlay(ui, { savepoint: this.#savepoint, program: this.#program, hosts: this.#hosts });
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
