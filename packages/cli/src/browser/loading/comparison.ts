/** Compares what the diff pane is about: when the user rests on a row, and again while the files may change. */
import { nameFromJson, type Savepoint, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { asFailure, failureAsText } from '../../failure.ts';
import { changeWord, modeChangeText, uncapturedText } from '../../show/changes.ts';
import { type About, aboutOf, type Work } from '../diff/about.ts';
import { headingOf, totalsHeading } from '../diff/heading.ts';
import { patchFiles } from '../diff/patch-file.ts';
import { layoutOf } from '../layout.ts';
import type { DiffState, State } from '../model.ts';
import type { Action } from '../reduce.ts';
import type { Paints } from '../view/paint.ts';

type DiffJson = OutputOf<typeof VERBS.diff>;
type Shown = Pick<DiffState, 'about' | 'title' | 'status' | 'heading' | 'files'>;

/** While a key repeats, no row is compared. */
const REST_MS = 40;
/** A comparison that takes longer is announced. */
const ANNOUNCED_MS = 150;
const AGAIN_MS = 2_000;
/** In a large workspace, a comparison with the files takes long. It must not run all the time. */
const AGAIN_FACTOR = 10;
const KEPT = 30;

export class Comparison {
  readonly #savepoint: Savepoint;
  readonly #state: () => State;
  readonly #dispatch: (action: Action) => void;
  readonly #paints: Paints;
  /** Results that cannot change, by what they are about; the last used is the last. */
  readonly #kept = new Map<string, Shown>();
  #wanted = '';
  #timer: NodeJS.Timeout | undefined;
  #abort = new AbortController();

  constructor(
    savepoint: Savepoint,
    paints: Paints,
    { state, dispatch }: { readonly state: () => State; readonly dispatch: (action: Action) => void },
  ) {
    this.#savepoint = savepoint;
    this.#paints = paints;
    this.#state = state;
    this.#dispatch = dispatch;
  }

  follow(): void {
    const about = aboutOf(this.#state());
    const key = about === null ? '' : this.#key(about);
    if (key === this.#wanted) return;
    this.#wanted = key;
    this.#abort.abort();
    clearTimeout(this.#timer);
    if (about === null) {
      this.#dispatch({ type: 'diff', diff: this.#without() });
      return;
    }
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#dispatch({ type: 'diff', diff: kept });
    else this.#timer = setTimeout(() => void this.#compare(about), REST_MS);
  }

  /** Compares again, for example because files were changed. */
  again(): void {
    this.#wanted = '';
    this.follow();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  async #compare(about: About): Promise<void> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const announced = setTimeout(() => this.#announce(about), ANNOUNCED_MS);
    const began = performance.now();
    try {
      const shown = await this.#shown(about, signal);
      if (signal.aborted) return;
      this.#keep(about, shown);
      this.#dispatch({ type: 'diff', diff: shown });
    } catch (error) {
      if (!signal.aborted) this.#dispatch({ type: 'diff', diff: this.#failed(about, error) });
    } finally {
      clearTimeout(announced);
    }
    if (about.work.to !== null || signal.aborted) return;
    const took = performance.now() - began;
    this.#timer = setTimeout(() => void this.#compare(about), Math.max(AGAIN_MS, took * AGAIN_FACTOR));
  }

  async #shown(about: About, signal: AbortSignal): Promise<Shown> {
    const from = await this.#start(about.work);
    if (from === null) return this.#show(about, [], null);
    const input = { from, patch: true, ...(about.work.to === null ? {} : { to: about.work.to }) };
    const found = await VERBS.diff.handle(this.#savepoint, input, { signal });
    return this.#show(about, found.warnings, found);
  }

  /** Before small steps that are one row, the state is that before the oldest of them. */
  async #start({ from }: Work): Promise<string | null> {
    if (from === null || typeof from === 'string') return from;
    return (await VERBS.show.handle(this.#savepoint, { checkpoint: from.oldest }, {})).previous;
  }

  #show(about: About, warnings: readonly string[], found: DiffJson | null): Shown {
    const heading = [
      ...headingOf(about.rows, this.#paints, this.#columns()),
      ...(found === null
        ? []
        : totalsHeading(
            found.totals,
            warnings.map((text) => showText(text)),
            this.#paints,
          )),
    ];
    const patch = found?.patch;
    const files =
      found === null || patch == null ? [] : patchFiles(nameFromJson(patch.text), found.changes.map(listed));
    return { about: this.#key(about), title: about.title, status: 'ready', heading, files };
  }

  #failed(about: About, error: unknown): Shown {
    const heading = [
      ...headingOf(about.rows, this.#paints, this.#columns()),
      '',
      ...failureAsText(asFailure(error), this.#paints).trimEnd().split('\n'),
    ];
    return { about: this.#key(about), title: about.title, status: 'failed', heading, files: [] };
  }

  #announce(about: About): void {
    if (this.#state().diff.about === this.#key(about)) return;
    const heading = [...headingOf(about.rows, this.#paints, this.#columns()), '', this.#paints.faint('comparing …')];
    this.#dispatch({
      type: 'diff',
      diff: { about: `loading ${about.key}`, title: about.title, status: 'loading', heading, files: [] },
    });
  }

  /** Nothing is chosen, or a damaged checkpoint. */
  #without(): Shown {
    const { tab, lists, chosen } = this.#state();
    const row = lists[tab].rows.find((one) => one.kind === 'damaged' && one.id === chosen[tab]) ?? null;
    return {
      about: '',
      title: '',
      status: 'ready',
      heading: row === null ? [] : headingOf([row], this.#paints, this.#columns()),
      files: [],
    };
  }

  #keep(about: About, shown: Shown): void {
    if (about.work.to === null) return;
    const key = this.#key(about);
    this.#kept.delete(key);
    this.#kept.set(key, shown);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** The heading is wrapped, so it is another one in another width. */
  #key({ key }: About): string {
    return `${key} ${this.#columns()}`;
  }

  #columns(): number {
    return layoutOf(this.#state().size).diff.columns;
  }
}

function listed(change: DiffJson['changes'][number]) {
  const { path, operation, from, before, after, added, removed } = change;
  const mode = modeChangeText(before, after);
  const notes = [
    // `0644 → 0644` says nothing.
    mode.split(' → ').every((side, _, [first]) => side === first) ? '' : mode,
    uncapturedText(change).trim(),
    operation === 'rename' ? movedText(added, removed) : '',
  ];
  return {
    path: nameFromJson(path),
    from: from === null ? null : nameFromJson(from),
    word: changeWord(operation),
    note: notes.filter((text) => text !== '').join('  '),
    added,
    removed,
  };
}

/** Git's patch of a rename without similarity has all lines of the new file. */
function movedText(added: number | null, removed: number | null): string {
  return added === 0 && removed === 0
    ? 'moved, with the same content'
    : 'moved and changed: all of its lines are shown';
}
