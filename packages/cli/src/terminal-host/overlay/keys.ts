/** Turns the bytes that a terminal sends into keys, and separates what is meant for the program: replies of the terminal. */

export type Key =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'left'
  | 'right'
  | 'tab'
  | 'back-tab'
  | 'backspace'
  | `ctrl-${string}`
  | { readonly text: string };

/** What control characters mean. Those that are not listed mean nothing. */
export type ControlKeys = Readonly<Record<string, Key>>;

export interface TypedKeys {
  readonly keys: readonly Key[];
  readonly replies: string;
}

const CURSOR: Readonly<Record<string, Key>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  Z: 'back-tab',
};
const NUMBERED: Readonly<Record<string, Key>> = {
  1: 'home',
  4: 'end',
  5: 'page-up',
  6: 'page-down',
  7: 'home',
  8: 'end',
};
const CONTROL: ControlKeys = {
  '\r': 'enter',
  '\n': 'enter',
  '\x03': 'escape',
  '\x1b': 'escape',
  '\x0e': 'down',
  '\x10': 'up',
  '\x06': 'page-down',
  '\x02': 'page-up',
  '\x7f': 'backspace',
  '\b': 'backspace',
};
const RELEASE = '3';

/** Answers to questions about position, device, modes and colours. They end in a letter that no key uses. */
const REPLY = /^(?:\x1b\[\??[\d;]*(?:R|c|n|\$y|t)|\x1b\[\?\d+u|\x1b\][\s\S]*?(?:\x07|\x1b\\)|\x1bP[\s\S]*?\x1b\\)/;
const SEQUENCE = /^\x1b(?:\[|O)([\d;:?<]*)([A-Za-z~])/;
const MOUSE = /^\x1b\[M[\s\S]{3}/;

export function keysIn(text: string, controls: ControlKeys = CONTROL): TypedKeys {
  const keys: Key[] = [];
  let replies = '';
  for (let rest = text; rest !== ''; ) {
    const reply = REPLY.exec(rest)?.[0];
    const other = reply ?? MOUSE.exec(rest)?.[0];
    const sequence = other === undefined ? SEQUENCE.exec(rest) : null;
    if (reply !== undefined) replies += reply;
    else if (other === undefined) {
      const key = sequence === null ? plainKey(rest, controls) : keyOf(sequence[1] ?? '', sequence[2] ?? '', controls);
      if (key !== null) keys.push(key);
    }
    const used = other ?? sequence?.[0] ?? [...rest][0] ?? rest;
    rest = rest.slice(used.length);
  }
  return { keys, replies };
}

function plainKey(rest: string, controls: ControlKeys): Key | null {
  const [first = ''] = rest;
  return controls[first] ?? (first < ' ' || first === '\x7f' ? null : { text: first });
}

function keyOf(params: string, final: string, controls: ControlKeys): Key | null {
  const [number = '', modifiers = ''] = params.split(';');
  if (modifiers.split(':')[1] === RELEASE) return null;
  if (final === '~') return NUMBERED[number] ?? null;
  if (final !== 'u') return CURSOR[final] ?? null;
  const code = Number(number.split(':')[0]);
  return Number.isInteger(code) && code > 0 && code < 0x110000 ? plainKey(String.fromCodePoint(code), controls) : null;
}
