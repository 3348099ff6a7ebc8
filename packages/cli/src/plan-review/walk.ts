/** Goes through the changes of a plan, one hunk after the other. Only the change that is shown is laid out. */
import { showName } from '@savepoint/core';
import { changeToJson } from '@savepoint/core/frontend';
import { changeWord } from '../show/changes.ts';
import { lineCounts } from '../show/format.ts';
import { apart, styledWidth } from '../terminal-host/overlay/clip.ts';
import { choicesLine, scrolled } from '../terminal-host/overlay/text-page.ts';
import type { Ui } from '../terminal-host/overlay/ui.ts';
import { type ChangeRows, changeMark, changeRows, failuresAt, markOf } from './change-rows.ts';
import { type Decisions, type Part, type PlanChange, partsOf } from './decisions.ts';

export interface Walk {
  readonly changes: readonly PlanChange[];
  readonly decisions: Decisions;
  /** Failures of the plan's checks, as text. */
  readonly failures: readonly string[];
  /** Reads the patch of a change without separate hunks. */
  readonly patchOf: (change: PlanChange) => Promise<Buffer>;
}

/** Rows of the title, the empty ones and the keys. */
const FRAME_ROWS = 4;
const KEYS = [
  ['a', 'accept'],
  ['r', 'reject'],
  ['s', 'skip'],
  ['n', 'next file'],
  ['b', 'back'],
  ['A/R', 'rest of file'],
  ['q', 'end'],
] as const;

/** @returns once the person is through, or ends it */
export class PlanWalk {
  readonly #ui: Ui;
  readonly #walk: Walk;
  #index = 0;
  #part = 0;
  #top = 0;
  readonly #patches = new Map<PlanChange, Buffer | null>();
  #laidOut: {
    readonly change: PlanChange;
    readonly columns: number;
    readonly patch: Buffer | null;
    readonly rows: ChangeRows;
  } | null = null;

  constructor(ui: Ui, walk: Walk) {
    this.#ui = ui;
    this.#walk = walk;
  }

  async run(): Promise<void> {
    while (this.#index < this.#walk.changes.length) {
      const change = this.#walk.changes[this.#index]!;
      this.#load(change);
      this.#draw(change);
      const event = await this.#ui.next();
      if (event === 'closed') return;
      if (event === 'redraw') continue;
      const { key } = event;
      const name = typeof key === 'string' ? key : key.text;
      if (name === 'q' || name === 'escape') return;
      this.#act(change, name, () => {
        this.#top = Math.max(0, this.#top + scrolled(key, this.#height()));
      });
    }
  }

  #act(change: PlanChange, key: string, scroll: () => void): void {
    const { decisions } = this.#walk;
    const parts = partsOf(change);
    const part = parts[this.#part] ?? null;
    switch (key) {
      case 'a':
      case 'r':
        decisions.decide(change, [part], key === 'a');
        this.#next(parts.length);
        break;
      case 'A':
      case 'R':
        decisions.decide(change, parts.slice(this.#part), key === 'A');
        this.#toFile(this.#index + 1, 0);
        break;
      case 's':
        this.#next(parts.length);
        break;
      case 'n':
      case 'right':
        this.#toFile(this.#index + 1, 0);
        break;
      case 'b':
      case 'left':
        this.#back();
        break;
      default:
        scroll();
    }
  }

  #next(parts: number): void {
    if (this.#part + 1 >= parts) this.#toFile(this.#index + 1, 0);
    else this.#toPart(this.#part + 1);
  }

  #back(): void {
    const previous = this.#walk.changes[this.#index - 1];
    if (this.#part > 0) this.#toPart(this.#part - 1);
    else if (previous !== undefined) this.#toFile(this.#index - 1, partsOf(previous).length - 1);
  }

  #toFile(index: number, part: number): void {
    this.#index = index;
    this.#top = 0;
    const change = this.#walk.changes[index];
    if (change !== undefined) this.#toPart(part, change);
  }

  #toPart(part: number, change = this.#walk.changes[this.#index]!): void {
    this.#part = part;
    const start = this.#rows(change).starts.get(partsOf(change)[part] ?? null) ?? 0;
    // The first hunk is shown with what is above it.
    this.#top = part === 0 ? 0 : Math.max(0, start - 1);
  }

  #load(change: PlanChange): void {
    if ((change.hunks !== null && change.hunks.length > 0) || this.#patches.has(change)) return;
    this.#patches.set(change, null);
    const done = (patch: Buffer): void => {
      this.#patches.set(change, patch);
      this.#ui.redraw();
    };
    void this.#walk.patchOf(change).then(done, (error: unknown) => done(Buffer.from(unreadable(change, error))));
  }

  #rows(change: PlanChange): ChangeRows {
    const { columns } = this.#ui.size;
    const patch = this.#patches.get(change) ?? null;
    const known = this.#laidOut;
    if (known?.change === change && known.columns === columns && known.patch === patch) return known.rows;
    const failures = failuresAt(showName(change.change.path), this.#walk.failures);
    const rows = changeRows({ change, patch, failures }, columns, this.#ui.style);
    this.#laidOut = { change, columns, patch, rows };
    return rows;
  }

  #height(): number {
    return Math.max(1, this.#ui.size.rows - FRAME_ROWS);
  }

  #draw(change: PlanChange): void {
    const { style, size } = this.#ui;
    const { changes, decisions } = this.#walk;
    const { rows } = this.#rows(change);
    const height = this.#height();
    this.#top = Math.min(this.#top, Math.max(0, rows.length - height));
    const chosen: Part = partsOf(change)[this.#part] ?? null;
    const shown = rows.slice(this.#top, this.#top + height).map(({ part, kind, text }) => {
      const marker = part === chosen ? style.id('▌') : ' ';
      return kind === 'head'
        ? `${marker}${part === chosen ? style.strong(text) : text}  ${markOf(decisions.of(change, part), style)}`
        : `${marker}${text}`;
    });
    const { path, from, added, removed } = change.change;
    const counts = lineCounts(added, removed);
    const title = `${from === null ? '' : `${showName(from)} → `}${showName(path)}`;
    const end = Math.min(rows.length, this.#top + height);
    const place = rows.length > height ? `${end} of ${rows.length} lines, ` : '';
    const where = `${place}file ${this.#index + 1} of ${changes.length} `;
    const word = changeWord(changeToJson(change.change).operation);
    this.#ui.draw([
      apart(
        ` ${style.strong(title)}  ${word}${counts === '' ? '' : `  ${counts}`}  ${changeMark(change, decisions, style)}`,
        style.faint(where),
        size.columns,
      ),
      '',
      ...shown,
      ...Array.from({ length: height - shown.length }, () => ''),
      '',
      keysLine(this.#ui),
    ]);
  }
}

/** On narrow terminals, the letters alone. */
function keysLine(ui: Ui): string {
  const line = choicesLine(ui, KEYS);
  return styledWidth(line) <= ui.size.columns ? line : ` ${KEYS.map(([letter]) => ui.style.id(letter)).join(' ')}`;
}

function unreadable({ change: { path } }: PlanChange, error: unknown): string {
  return `diff --git a/${path} b/${path}\n# cannot be read: ${error instanceof Error ? error.message : String(error)}\n`;
}
