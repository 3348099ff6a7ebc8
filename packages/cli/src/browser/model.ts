/** The data of the browser: what it shows, and what the user chose. Only `reduce.ts` makes a new state. */
import type { BriefJson } from '../show/checkpoint.ts';
import type { TurnJson } from '../show/turn.ts';
import type { PatchFile } from './diff/patch-file.ts';

export const TABS = ['turns', 'checkpoints', 'all', 'manual'] as const;
export type Tab = (typeof TABS)[number];

/** A row of the list. Texts come from disk and are shown safely where they are drawn. */
export type Row =
  | { readonly kind: 'now' }
  | {
      readonly kind: 'checkpoint';
      readonly checkpoint: BriefJson;
      readonly isPinned: boolean;
      /** Whether the files are in this state. */
      readonly isCurrent: boolean;
      /** Older small steps that the row represents, newest first. */
      readonly folded: readonly string[];
      readonly rootNotes: readonly string[];
    }
  | {
      readonly kind: 'turn';
      readonly turn: TurnJson;
      /** Its place among the checkpoints of the list, by number. */
      readonly place: number;
    }
  | { readonly kind: 'damaged'; readonly id: string; readonly message: string };

/** The loaded part of a tab, newest first. */
export interface Loaded {
  readonly rows: readonly Row[];
  /** Where the next page begins; null: everything is loaded. */
  readonly next: string | null;
  readonly isLoading: boolean;
  /** What the command prints about the timeline, for example an operation that did not happen. */
  readonly notes: readonly string[];
}

/** What the diff pane shows. */
export interface DiffState {
  /** Identifies the row or range that it is about. */
  readonly about: string;
  /** For the frame; safe to show. */
  readonly title: string;
  readonly status: 'loading' | 'ready' | 'failed';
  /** Shown above the files: safe lines, which may be styled. */
  readonly heading: readonly string[];
  readonly files: readonly PatchFile[];
  readonly folded: ReadonlySet<string>;
  /** The chosen line, among those that are not folded away. */
  readonly cursor: number;
  readonly top: number;
  /** The first column that is shown. */
  readonly left: number;
}

/** A text that the user types at the bottom. */
export interface TypedText {
  readonly purpose: 'filter' | 'checkpoint';
  readonly text: string;
}

export interface Message {
  readonly kind: 'good' | 'bad' | 'plain';
  readonly text: string;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface State {
  readonly size: Size;
  /** The name of the workspace, safe to show. */
  readonly workspace: string;
  readonly tab: Tab;
  readonly lists: Readonly<Record<Tab, Loaded>>;
  /** The key of the chosen row of each tab, so that it stays when rows are added above it. */
  readonly chosen: Readonly<Record<Tab, string | null>>;
  readonly top: number;
  readonly filter: string;
  readonly focus: 'list' | 'diff';
  /** Keys of at most two marked rows. */
  readonly marks: readonly string[];
  readonly diff: DiffState;
  readonly typed: TypedText | null;
  readonly message: Message | null;
  /** Lines of a page over both panes: a preview, a question, the help. */
  readonly page: readonly string[] | null;
}

/** Chosen instead of a row: the last one, while the rest of a long list is still loading. */
export const LAST_ROW = 'last row';

export function rowKey(row: Row): string {
  switch (row.kind) {
    case 'now':
      return 'now';
    case 'checkpoint':
      return row.checkpoint.id;
    case 'damaged':
      return row.id;
    case 'turn':
      return `${row.turn.session} ${row.turn.before ?? row.turn.began}`;
  }
}
