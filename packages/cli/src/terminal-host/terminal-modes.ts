/**
 * Follows the modes that a program sets in the terminal and that an emulator does not fully report, so that they can be
 * suspended for an overlay, set again, and reset if the program leaves them on.
 */
import type { IParser } from '@xterm/headless';

/** DEC private modes that are on in a new terminal: autowrap and the cursor. */
const ON_BY_DEFAULT: ReadonlySet<number> = new Set([7, 25]);
const SCREEN_MODES: ReadonlySet<number> = new Set([47, 1047, 1049]);
/** Saves the cursor, and its variant 1049 is always used to leave a screen. */
const SAVE_CURSOR = 1048;
/** What disturbs an overlay: cursor keys, origin, autowrap, cursor, mouse, focus, pastes, margins, held updates. */
const DISTURBING: readonly number[] = [
  1, 5, 6, 7, 9, 25, 66, 69, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026,
];

type Params = readonly (number | readonly number[])[];

export class TerminalModes {
  #private = new Map<number, boolean>();
  #isInserting = false;
  #hasKeypad = false;
  #hasGraphics = false;
  #margins: string | null = null;
  /** How many sets of flags the program has pushed, in the keyboard protocol of kitty. */
  #keyboards = 0;
  #otherKeys = 0;

  constructor(parser: IParser) {
    const onSequence = (id: Parameters<IParser['registerCsiHandler']>[0], act: (params: Params) => void): void => {
      parser.registerCsiHandler(id, (params) => {
        act(params);
        return false;
      });
    };
    const onEscape = (id: Parameters<IParser['registerEscHandler']>[0], act: () => void): void => {
      parser.registerEscHandler(id, () => {
        act();
        return false;
      });
    };
    onSequence({ prefix: '?', final: 'h' }, (params) => this.#set(params, true));
    onSequence({ prefix: '?', final: 'l' }, (params) => this.#set(params, false));
    onSequence({ final: 'h' }, (params) => this.#setInsert(params, true));
    onSequence({ final: 'l' }, (params) => this.#setInsert(params, false));
    onSequence({ final: 'r' }, (params) => {
      this.#margins = params.every((one) => one === 0) ? null : params.map((one) => (one === 0 ? '' : one)).join(';');
    });
    onSequence({ prefix: '>', final: 'u' }, () => {
      this.#keyboards += 1;
    });
    onSequence({ prefix: '<', final: 'u' }, ([count]) => {
      this.#keyboards = Math.max(0, this.#keyboards - Math.max(1, Number(count ?? 1)));
    });
    onSequence({ prefix: '>', final: 'm' }, ([what, value]) => {
      if (what === 4) this.#otherKeys = Number(value ?? 0);
    });
    onSequence({ intermediates: '!', final: 'p' }, () => this.#reset());
    onEscape({ final: 'c' }, () => {
      this.#reset();
      this.#private = new Map();
    });
    onEscape({ final: '=' }, () => {
      this.#hasKeypad = true;
    });
    onEscape({ final: '>' }, () => {
      this.#hasKeypad = false;
    });
    onEscape({ intermediates: '(', final: '0' }, () => {
      this.#hasGraphics = true;
    });
    onEscape({ intermediates: '(', final: 'B' }, () => {
      this.#hasGraphics = false;
    });
  }

  /** The first row to which positions refer, from 0. */
  get top(): number {
    return this.#isOn(6) ? Math.max(1, Number.parseInt(this.#margins ?? '1', 10) || 1) - 1 : 0;
  }

  /** Whether the program tells pastes from typed text. */
  get takesPastes(): boolean {
    return this.#isOn(2004);
  }

  /** The terminal resets its margins when its size changes. */
  resized(): void {
    this.#margins = null;
  }

  /** For an overlay: as in a new terminal, except that the cursor is hidden. */
  suspended(): string {
    const changed = this.#disturbing().map(([mode, isOn]) => privateMode(mode, !isOn));
    return [
      ...changed,
      this.#isInserting ? '\x1b[4l' : '',
      this.#hasKeypad ? '\x1b>' : '',
      this.#hasGraphics ? '\x1b(B' : '',
      this.#margins === null ? '' : '\x1b[r',
      this.#keyboards > 0 ? '\x1b[>0u' : '',
      this.#otherKeys > 0 ? '\x1b[>4;0m' : '',
      privateMode(25, false),
    ].join('');
  }

  /** After the overlay. Margins and the origin move the cursor. */
  set(): string {
    return [
      this.#margins === null ? '' : `\x1b[${this.#margins}r`,
      this.#isInserting ? '\x1b[4h' : '',
      this.#hasKeypad ? '\x1b=' : '',
      this.#hasGraphics ? '\x1b(0' : '',
      this.#keyboards > 0 ? '\x1b[<u' : '',
      this.#otherKeys > 0 ? `\x1b[>4;${this.#otherKeys}m` : '',
      ...this.#disturbing().map(([mode, isOn]) => privateMode(mode, isOn)),
      this.#isOn(25) ? privateMode(25, true) : '',
    ].join('');
  }

  /** What the program should have reset before it ended; empty if it did. */
  left(): string {
    const changed = [...this.#private].filter(
      ([mode, isOn]) => mode !== SAVE_CURSOR && isOn !== ON_BY_DEFAULT.has(mode),
    );
    const ownScreen = changed.some(([mode]) => SCREEN_MODES.has(mode));
    const rest = [
      this.#isInserting ? '\x1b[4l' : '',
      this.#hasKeypad ? '\x1b>' : '',
      this.#hasGraphics ? '\x1b(B' : '',
      this.#margins === null ? '' : '\x1b7\x1b[r\x1b8',
      this.#keyboards > 0 ? `\x1b[<${this.#keyboards}u` : '',
      this.#otherKeys > 0 ? '\x1b[>4m' : '',
      ...changed.flatMap(([mode, isOn]) => (SCREEN_MODES.has(mode) ? [] : [privateMode(mode, !isOn)])),
      ownScreen ? privateMode(1049, false) : '',
    ].join('');
    return rest === '' ? '' : `${rest}\x1b[0m`;
  }

  #disturbing(): (readonly [mode: number, isOn: boolean])[] {
    return DISTURBING.flatMap((mode) => {
      const isOn = this.#private.get(mode);
      return isOn === undefined || isOn === ON_BY_DEFAULT.has(mode) ? [] : [[mode, isOn] as const];
    });
  }

  #isOn(mode: number): boolean {
    return this.#private.get(mode) ?? ON_BY_DEFAULT.has(mode);
  }

  #set(params: Params, isOn: boolean): void {
    for (const mode of params) if (typeof mode === 'number') this.#private.set(mode, isOn);
  }

  #setInsert(params: Params, isOn: boolean): void {
    if (params.includes(4)) this.#isInserting = isOn;
  }

  /** The soft reset of a terminal. It leaves the screen, the mouse and pastes as they are. */
  #reset(): void {
    for (const mode of [1, 6, 7, 25, 66]) this.#private.delete(mode);
    this.#isInserting = false;
    this.#hasKeypad = false;
    this.#hasGraphics = false;
    this.#margins = null;
  }
}

function privateMode(mode: number, isOn: boolean): string {
  return `\x1b[?${mode}${isOn ? 'h' : 'l'}`;
}
