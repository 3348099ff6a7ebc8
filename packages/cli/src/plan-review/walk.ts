/** Goes through the changes of a plan, one hunk after the other. Only the change that is shown is laid out. */
import { showName } from '@savepoint/core';
import { changeToJson } from '@savepoint/core/frontend';
import { changeWord } from '../show/changes.ts';
import { lineCounts } from '../show/format.ts';
import { apart, styledWidth } from '../terminal-host/overlay/clip.ts';
import { choicesLine, scrolled, showPage } from '../terminal-host/overlay/text-page.ts';
import type { Ui } from '../terminal-host/overlay/ui.ts';
import {
  type ChangeContent,
  type ChangeRows,
  changeMark,
  changeRows,
  type Failure,
  failuresAt,
  markOf,
} from './change-rows.ts';
import { type Decisions, type Part, type PlanChange, partsOf } from './decisions.ts';
import type { Recorder } from './recorder.ts';

export interface Walk {
  readonly changes: readonly PlanChange[];
  readonly decisions: Decisions;
  readonly recorder: Recorder;
  /** Whether anything can be decided. */
  readonly isOpen: boolean;
  readonly failures: readonly Failure[];
  readonly contentOf: (change: PlanChange) => Promise<ChangeContent>;
}

/** Rows of the title, the empty ones and the keys. */
const FRAME_ROWS = 4;
/** A decision is drawn when it is recorded. If that takes longer, the screen says so. */
const RECORDING_MS = 150;
/** Contents that are kept in memory, for the way back. */
const KEPT_CONTENTS = 50;
const DECIDING_KEYS = [
  ['a', 'accept'],
  ['r', 'reject'],
  ['s', 'skip'],
  ['n', 'next file'],
  ['b', 'back'],
  ['A/R', 'rest'],
  ['q', 'end'],
  ['?', 'help'],
] as const;
const READING_KEYS = [
  ['s', 'next hunk'],
  ['n', 'next file'],
  ['b', 'back'],
  ['q', 'end'],
  ['?', 'help'],
] as const;
const HELP = [
  'A file is shown with its hunks. The bar ▌ marks the one that a key is about.',
  '',
  'a         accept the hunk, and go to the next one',
  'r         reject the hunk: it is not applied',
  's         skip: leave the hunk open, and go to the next one',
  'A, R      accept or reject the hunk and all below it in this file',
  'n, →      next file; what is open in this one stays open',
  'b, ←      back to the hunk before, also to decide again',
  'space, ↓  scroll down; page up, ↑: scroll up',
  'q, Esc    to the last page: what would be applied, and approval',
  '',
  'A file that is new, deleted or not text is decided as a whole.',
  'Each decision is recorded at once. What stays open is applied if you approve.',
];

const DECIDES = new Set(['a', 'r', 'A', 'R']);

/** @returns once the person is through, or ends it, or something could not be recorded */
export class PlanWalk {
  readonly #ui: Ui;
  readonly #walk: Walk;
  #index = 0;
  #part = 0;
  #top = 0;
  /** Whether the part that is decided is kept in sight. Not after the person scrolled. */
  #isFollowing = true;
  /** Null: it is being read. */
  readonly #contents = new Map<PlanChange, ChangeContent | null>();
  #laidOut: {
    readonly change: PlanChange;
    readonly columns: number;
    readonly content: ChangeContent | null;
    readonly rows: ChangeRows;
  } | null = null;

  /** It begins with the first change that is not decided. */
  constructor(ui: Ui, walk: Walk) {
    this.#ui = ui;
    this.#walk = walk;
    const { changes, decisions } = walk;
    const isOpen = (change: PlanChange): boolean => partsOf(change).some((part) => decisions.of(change, part) === null);
    this.#index = Math.max(0, changes.findIndex(isOpen));
    const first = changes[this.#index];
    if (first !== undefined)
      this.#part = Math.max(
        0,
        partsOf(first).findIndex((part) => decisions.of(first, part) === null),
      );
  }

  async run(): Promise<void> {
    while (this.#index < this.#walk.changes.length) {
      const change = this.#walk.changes[this.#index]!;
      this.#load(change);
      const isRecorded = await this.#walk.recorder.waitUpTo(RECORDING_MS);
      if (this.#walk.recorder.failure !== null) return;
      this.#draw(change, isRecorded);
      const following = this.#walk.changes[this.#index + 1];
      if (following !== undefined) this.#load(following);
      const event = await this.#ui.next();
      if (event === 'closed') return;
      if (event === 'redraw') continue;
      const { key } = event;
      const name = typeof key === 'string' ? key : key.text;
      if (name === 'q' || name === 'escape') return;
      if (name === '?') {
        await this.#help();
        continue;
      }
      if (!this.#walk.isOpen && DECIDES.has(name)) continue;
      this.#act(change, name, () => {
        this.#isFollowing = false;
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
    this.#toPart(part);
  }

  #toPart(part: number): void {
    this.#part = part;
    this.#isFollowing = true;
  }

  /** The first part is shown with what is above it. */
  #startOf(change: PlanChange): number {
    const start = this.#rows(change).starts.get(partsOf(change)[this.#part] ?? null) ?? 0;
    return this.#part === 0 ? 0 : Math.max(0, start - 1);
  }

  async #help(): Promise<void> {
    await showPage(this.#ui, { title: 'Keys', lines: HELP, choices: [['q', 'back', 'back']], cancelled: 'back' });
  }

  #load(change: PlanChange): void {
    if (this.#contents.has(change)) return;
    this.#contents.set(change, null);
    for (const one of this.#contents.keys()) {
      if (this.#contents.size <= KEPT_CONTENTS) break;
      this.#contents.delete(one);
    }
    const done = (content: ChangeContent): void => {
      this.#contents.set(change, content);
      if (this.#walk.changes[this.#index] === change) this.#ui.redraw();
    };
    const failed = (error: unknown): void => {
      const problem = error instanceof Error ? error.message : String(error);
      done({ hunks: null, patch: Buffer.alloc(0), problem });
    };
    void this.#walk.contentOf(change).then(done, failed);
  }

  #rows(change: PlanChange): ChangeRows {
    const { columns } = this.#ui.size;
    const content = this.#contents.get(change) ?? null;
    const known = this.#laidOut;
    if (known?.change === change && known.columns === columns && known.content === content) return known.rows;
    const failures = failuresAt(showName(change.change.path), this.#walk.failures);
    const rows = changeRows({ change, content, failures }, columns, this.#ui.style);
    this.#laidOut = { change, columns, content, rows };
    return rows;
  }

  #height(): number {
    return Math.max(1, this.#ui.size.rows - FRAME_ROWS);
  }

  #draw(change: PlanChange, isRecorded: boolean): void {
    const { style, size } = this.#ui;
    const { changes, decisions } = this.#walk;
    const { rows } = this.#rows(change);
    const height = this.#height();
    if (this.#isFollowing) this.#top = this.#startOf(change);
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
    const saving = isRecorded ? '' : 'recording …, ';
    const where = `${saving}${place}file ${this.#index + 1} of ${changes.length} `;
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
      keysLine(this.#ui, this.#walk.isOpen ? DECIDING_KEYS : READING_KEYS),
    ]);
  }
}

/** On narrow terminals, the letters alone. */
function keysLine(ui: Ui, keys: typeof DECIDING_KEYS | typeof READING_KEYS): string {
  const line = choicesLine(ui, keys);
  return styledWidth(line) <= ui.size.columns ? line : ` ${keys.map(([letter]) => ui.style.id(letter)).join(' ')}`;
}
