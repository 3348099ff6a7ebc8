/** The browser: connects the terminal, the state, what loads in the background, and what the user starts. */
import { type Savepoint, showText } from '@savepoint/core';
import { render } from 'ink';
import { asFailure } from '../failure.ts';
import { notice } from '../terminal-host/overlay/go-back.ts';
import type { Key } from '../terminal-host/overlay/keys.ts';
import { loadHighlighter } from './diff/highlight.ts';
import { type Command, meaningOf } from './keys.ts';
import { EMPTY } from './list/rows.ts';
import { Comparison } from './loading/comparison.ts';
import { Lists } from './loading/lists.ts';
import { followTimeline } from './loading/watch.ts';
import type { State } from './model.ts';
import { helpLines } from './pages/help.ts';
import { PageUi } from './pages/pages.ts';
import { type Done, performed } from './pages/perform.ts';
import { type Action, NO_DIFF, reduce } from './reduce.ts';
import { KeyReader } from './screen/key-reader.ts';
import { RowsOutput } from './screen/rows-output.ts';
import { BrowserTerminal } from './screen/terminal.ts';
import { App } from './view/app.tsx';
import { contentsOf } from './view/contents.ts';
import type { Paints } from './view/paint.ts';

export interface BrowserStart {
  readonly savepoint: Savepoint;
  readonly paints: Paints;
  /** Ends the browser. */
  readonly signal: AbortSignal;
  /** The folder of the workspace, safe to show. */
  readonly workspace: string;
}

/** @throws whatever goes wrong inside, after the terminal is what it was before */
export async function browse(start: BrowserStart): Promise<void> {
  const browser = new Browser(start);
  await browser.run();
}

class Browser {
  readonly #start: BrowserStart;
  readonly #terminal: BrowserTerminal;
  readonly #output: RowsOutput;
  readonly #keys: KeyReader;
  readonly #lists: Lists;
  readonly #comparison: Comparison;
  readonly #stop = new AbortController();
  #state: State;
  #ink: ReturnType<typeof render> | null = null;
  #page: PageUi | null = null;
  #isDrawing = false;
  #hasRows = false;
  #end: (error: unknown) => void = () => undefined;

  constructor(start: BrowserStart) {
    this.#start = start;
    const { savepoint, paints } = start;
    this.#terminal = new BrowserTerminal({
      typed: (bytes) => (this.#page === null ? this.#keys.read(bytes) : this.#page.type(bytes)),
      changed: () => this.#changed(),
      closed: () => this.#end(null),
    });
    const { size } = this.#terminal;
    this.#output = new RowsOutput(
      (text) => this.#terminal.write(text),
      () => this.#state.size,
    );
    this.#keys = new KeyReader((key) => this.#press(key));
    const access = { state: () => this.#state, dispatch: (action: Action) => this.#dispatch(action) };
    this.#lists = new Lists(savepoint, access.state, access.dispatch);
    this.#comparison = new Comparison(savepoint, paints, access);
    this.#state = initialState(start, size);
  }

  async run(): Promise<void> {
    const { signal, savepoint } = this.#start;
    const ended = new Promise<void>((resolve, reject) => {
      this.#end = (error) => (error === null ? resolve() : reject(error));
    });
    const stop = (): void => this.#end(null);
    const fail = (error: unknown): void => this.#end(error ?? new Error('unknown'));
    signal.addEventListener('abort', stop);
    process.on('uncaughtException', fail);
    process.on('unhandledRejection', fail);
    const forget = [
      savepoint.on('waiting', ({ pid, state }) => this.#say(`Waiting for another process (pid ${pid}, ${state}) …`)),
      savepoint.on('warning', ({ message }) => this.#say(message)),
    ];
    try {
      this.#terminal.enter();
      // Mostly, the first rows are there before the first frame is drawn.
      this.#follow();
      this.#schedule();
      if (signal.aborted) stop();
      await ended;
    } finally {
      this.#stop.abort();
      this.#comparison.end();
      this.#keys.end();
      this.#page?.close();
      for (const off of forget) off();
      this.#terminal.leave();
      this.#ink?.unmount();
      signal.removeEventListener('abort', stop);
      process.off('uncaughtException', fail);
      process.off('unhandledRejection', fail);
    }
  }

  #dispatch(action: Action): void {
    this.#state = reduce(this.#state, action);
    this.#schedule();
  }

  /** Draws once for all that happens at the same time. */
  #schedule(): void {
    if (this.#isDrawing || this.#stop.signal.aborted) return;
    this.#isDrawing = true;
    setImmediate(() => {
      this.#isDrawing = false;
      if (this.#stop.signal.aborted) return;
      try {
        this.#draw();
        this.#follow();
      } catch (error) {
        this.#end(error);
      }
    });
  }

  #follow(): void {
    this.#lists.follow();
    const { lists, tab } = this.#state;
    // The first rows come first.
    if (lists[tab].next === 'first') return;
    if (!this.#hasRows) {
      this.#hasRows = true;
      void loadHighlighter().then(() => this.#schedule());
      void followTimeline(this.#start.savepoint, this.#stop.signal, () => this.#lists.refresh('newest'));
    }
    this.#comparison.follow();
  }

  #draw(): void {
    const { paints, savepoint } = this.#start;
    const app = <App state={this.#state} paints={paints} />;
    if (this.#ink !== null) this.#ink.rerender(app);
    else {
      this.#ink = render(app, {
        stdout: this.#output as unknown as NodeJS.WriteStream,
        // Every frame is complete, and drawn at once; the output compares rows itself.
        debug: true,
        exitOnCtrlC: false,
        patchConsole: false,
      });
    }
    this.#output.show(contentsOf(this.#state, paints, savepoint.now()));
  }

  #changed(): void {
    this.#output.forget();
    this.#dispatch({ type: 'resized', size: this.#terminal.size });
    this.#page?.redraw();
  }

  #press(key: Key): void {
    if (this.#state.message !== null) this.#dispatch({ type: 'message', message: null });
    const meaning = meaningOf(key, this.#state);
    if (meaning === null) return;
    if ('command' in meaning) {
      this.#command(meaning.command);
      return;
    }
    this.#dispatch(meaning.action);
    // It may be older than what other tabs have seen.
    if (meaning.action.type === 'tab') void this.#lists.refresh('newest');
  }

  #command(command: Command): void {
    if (command === 'quit') this.#end(null);
    else if (command === 'suspend') this.#terminal.suspend();
    else if (command === 'redraw') this.#changed();
    else if (command === 'refresh') {
      this.#comparison.again();
      void this.#lists.refresh('loaded');
    } else if (command === 'help') void this.#onPages(showHelp);
    else {
      void this.#onPages((ui) => performed(command, { ui, savepoint: this.#start.savepoint, state: this.#state }));
      if (command === 'create') this.#dispatch({ type: 'end-typing' });
    }
  }

  /** Runs work that shows pages. Keys go to them meanwhile. */
  async #onPages(work: (ui: PageUi) => Promise<Done>): Promise<void> {
    const ui = new PageUi(
      this.#start.paints,
      () => this.#state.size,
      (lines) => this.#dispatch({ type: 'page', lines }),
    );
    this.#page = ui;
    try {
      const done = await work(ui);
      if (done !== null) {
        this.#dispatch({ type: 'message', message: { kind: 'good', text: done } });
        this.#comparison.again();
        await this.#lists.refresh('loaded');
      }
    } catch (error) {
      this.#dispatch({ type: 'message', message: { kind: 'bad', text: showText(asFailure(error).message) } });
    } finally {
      if (this.#page === ui) this.#page = null;
      this.#dispatch({ type: 'page', lines: null });
    }
  }

  #say(text: string): void {
    this.#dispatch({ type: 'message', message: { kind: 'plain', text: showText(text) } });
  }
}

async function showHelp(ui: PageUi): Promise<Done> {
  await notice(ui, 'Keys', helpLines(ui.style));
  return null;
}

function initialState({ workspace }: BrowserStart, size: State['size']): State {
  return {
    size,
    workspace,
    tab: 'turns',
    lists: { turns: EMPTY, checkpoints: EMPTY, all: EMPTY, manual: EMPTY },
    chosen: { turns: null, checkpoints: null, all: null, manual: null },
    top: 0,
    filter: '',
    focus: 'list',
    marks: [],
    diff: NO_DIFF,
    typed: null,
    message: null,
    page: null,
  };
}
