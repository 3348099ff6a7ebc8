/** The list of states, newest first, and what changed since the chosen one. */
import { showText } from '@savepoint/core';
import type { OpenCall } from '@savepoint/core/frontend';
import { changeLine } from '../../show/changes.ts';
import { countText, lineCounts, relativeTime } from '../../show/format.ts';
import type { ChangesSince } from './changes-since.ts';
import { apart, clip, styledWidth } from './clip.ts';
import { stateText } from './go-back.ts';
import { callText } from './open-calls.ts';
import type { EarlierState } from './states.ts';
import { choicesLine, isLetter, scrolled } from './text-page.ts';
import type { Ui } from './ui.ts';

export interface ListPage {
  readonly states: readonly EarlierState[];
  readonly changes: ChangesSince;
  /** The name of the workspace, safe to show. */
  readonly workspace: string;
  readonly now: () => number;
  readonly running: () => readonly OpenCall[];
}

/** What the user wants to do with a state. */
export type ListChoice =
  | { readonly act: 'close' | 'undo' }
  | { readonly act: 'files' | 'conversation' | 'diff' | 'agent'; readonly state: EarlierState };

/** The current state is first, and is chosen at the start. */
const CURRENT = 0;

export class StateList {
  readonly #ui: Ui;
  readonly #page: ListPage;
  /** 0: all states are those of one agent, which is not named. */
  readonly #agentColumns: number;
  #chosen = CURRENT;
  #top = 0;
  #note = '';

  constructor(ui: Ui, page: ListPage) {
    this.#ui = ui;
    this.#page = page;
    const agents = new Set(page.states.map(({ agent }) => agent));
    const widths = [...agents].map((agent) => Math.min(MAX_AGENT_COLUMNS, agent.length));
    this.#agentColumns = agents.size > 1 ? Math.max(...widths) : 0;
  }

  async choose(): Promise<ListChoice> {
    for (;;) {
      this.#draw();
      const event = await this.#ui.next();
      if (event === 'closed') return { act: 'close' };
      if (event === 'redraw') continue;
      this.#note = '';
      const { key } = event;
      if (key === 'escape' || isLetter(key, 'c') || isLetter(key, 'q')) return { act: 'close' };
      if (isLetter(key, 'u')) return { act: 'undo' };
      const state = this.#page.states[this.#chosen - 1];
      const act = ACTS.find(([name]) => name === (typeof key === 'string' ? key : key.text))?.[1];
      if (act !== undefined && state !== undefined) return { act, state };
      if (key === 'enter') return { act: 'close' };
      if (act !== undefined) this.#note = 'Choose an earlier state first, with ↓.';
      else this.#move(scrolled(key, this.#listRows()));
    }
  }

  #move(by: number): void {
    this.#chosen = Math.min(this.#page.states.length, Math.max(CURRENT, this.#chosen + by));
  }

  /** A third of the screen at least, and never more than the list. */
  #listRows(): number {
    const { rows } = this.#ui.size;
    return Math.max(3, Math.min(this.#page.states.length + 1, Math.floor((rows - FIXED_ROWS) / 2)));
  }

  #draw(): void {
    const { columns, rows } = this.#ui.size;
    const { style } = this.#ui;
    const { states, workspace, changes } = this.#page;
    const listRows = this.#listRows();
    this.#top = Math.min(Math.max(this.#top, this.#chosen - listRows + 1), this.#chosen);
    const shown = states.slice(Math.max(0, this.#top - 1), this.#top + listRows - 1);
    const chosen = states[this.#chosen - 1];
    changes.want([...(chosen === undefined ? [] : [chosen.id]), ...shown.map(({ id }) => id)]);
    const list = Array.from({ length: listRows }, (_, row) => this.#row(this.#top + row));
    const detailRows = rows - listRows - FIXED_ROWS;
    const detail = this.#detail(chosen, detailRows);
    const filler = Array.from({ length: Math.max(0, detailRows - detail.length) }, () => '');
    const place = this.#page.states.length >= listRows ? `${this.#chosen} of ${states.length}  ` : '';
    this.#ui.draw([
      apart(` ${style.strong('Go back')}`, style.faint(`${place}${workspace} `), columns),
      '',
      ...list,
      '',
      this.#rule(chosen),
      ...detail.map((line) => clip(`   ${line}`, columns - 1)),
      ...filler,
      this.#status(),
      this.#keys(chosen !== undefined),
    ]);
  }

  #row(index: number): string {
    const { style } = this.#ui;
    const { columns } = this.#ui.size;
    const isChosen = index === this.#chosen;
    const marker = isChosen ? style.id('▸') : ' ';
    if (index === CURRENT) {
      const words = 'the files as they are';
      return ` ${marker} ${'now'.padEnd(TIME_COLUMNS)} ${isChosen ? style.strong(words) : words}`;
    }
    const state = this.#page.states[index - 1];
    if (state === undefined) return '';
    const time = style.faint(clip(relativeTime(state.time, this.#page.now()), TIME_COLUMNS).padEnd(TIME_COLUMNS));
    const agent =
      this.#agentColumns === 0 ? '' : `${clip(state.agent, MAX_AGENT_COLUMNS).padEnd(this.#agentColumns)}  `;
    const words = state.words ?? style.faint(`start of ${state.agent}, no prompt`);
    const text = `${style.faint(agent)}${isChosen ? style.strong(words) : words}`;
    return apart(` ${marker} ${time} ${text}`, `${this.#counts(state)} `, columns);
  }

  #counts({ id }: EarlierState): string {
    const { style } = this.#ui;
    const known = this.#page.changes.of(id);
    if (known === null) return style.faint('…');
    if (typeof known === 'string') return style.bad('unreadable');
    const { files, added, removed } = known.totals;
    if (files === 0) return style.faint('same as now'.padStart(COUNT_COLUMNS));
    const plus = style.good((lineCounts(added, 0) || '').padStart(6));
    const minus = style.bad((lineCounts(0, removed) || '').padStart(6));
    return `${countText(files, 'file').padStart(9)} ${plus} ${minus}`;
  }

  #rule(state: EarlierState | undefined): string {
    const { style } = this.#ui;
    const { columns } = this.#ui.size;
    const title = state === undefined ? '' : ` changed since then `;
    return style.faint(` ──${title}${'─'.repeat(Math.max(0, columns - title.length - 4))}`);
  }

  #detail(state: EarlierState | undefined, rows: number): readonly string[] {
    const { style } = this.#ui;
    if (state === undefined) {
      if (this.#page.states.length === 0) return ['No prompt of an agent has been recorded here yet.'];
      return [style.faint('Enter returns and changes nothing. ↓ chooses the state before a prompt.')];
    }
    const known = this.#page.changes.of(state.id);
    const heading = style.faint(`${state.id}  ${state.agent}  before ${stateText(state)}${countedNote(known)}`);
    if (known === null) return [heading, '', style.faint('comparing …')];
    if (typeof known === 'string') return [heading, '', style.bad(showText(known))];
    if (known.changes.length === 0) return [heading, '', 'No file differs from the current ones.'];
    const room = Math.max(1, rows - 3);
    const lines = known.changes.slice(0, known.changes.length > room ? room - 1 : room);
    const more = known.changes.length - lines.length;
    return [
      heading,
      '',
      ...lines.map((change) => changeLine(change, style)),
      ...(more > 0 ? [style.faint(`… and ${more} more: 3 shows all`)] : []),
    ];
  }

  #status(): string {
    const { style } = this.#ui;
    if (this.#note !== '') return ` ${this.#note}`;
    const [call] = this.#page.running();
    return call === undefined ? '' : ` ${style.bad('●')} ${callText(call)}`;
  }

  #keys(isState: boolean): string {
    const { columns } = this.#ui.size;
    const line = choicesLine(this.#ui, [
      ...(isState ? STATE_KEYS : []),
      ['↑↓', 'choose'],
      ['u', 'undo'],
      ['c', 'close'],
    ]);
    return styledWidth(line) <= columns ? line : clip(line, columns);
  }
}

/** In a large comparison, lines are counted in the first files only. */
function countedNote(known: ReturnType<ChangesSince['of']>): string {
  if (known === null || typeof known === 'string') return '';
  const counted = known.changes.filter(({ added }) => added !== null).length;
  const isPart = counted >= LEAST_COUNTED && counted < known.totals.files;
  return isPart ? `  (lines counted in ${counted} of ${known.totals.files} files)` : '';
}

/** Below this, files without a count are binary, or no files. */
const LEAST_COUNTED = 300;
/** Title, empty row, empty row, rule, status, keys. */
const FIXED_ROWS = 6;
const TIME_COLUMNS = 11;
const COUNT_COLUMNS = 23;
const MAX_AGENT_COLUMNS = 12;

const ACTS = [
  ['1', 'files'],
  ['enter', 'files'],
  ['2', 'conversation'],
  ['3', 'diff'],
  ['a', 'agent'],
] as const;

const STATE_KEYS = [
  ['1', 'files'],
  ['2', 'files + conversation'],
  ['3', 'diff'],
  ['a', 'this agent'],
] as const;
