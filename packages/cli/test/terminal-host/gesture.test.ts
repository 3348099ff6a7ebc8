import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Gesture } from '../../src/terminal-host/gesture.ts';
import { gestureKey } from '../../src/terminal-host/gesture-keys.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What the program got, each with the time at which it got it; and whether the overlay opened. */
function typed(input: readonly (readonly [atMs: number, bytes: string])[], key = 'esc') {
  const passed: [number, string][] = [];
  let opened: number | null = null;
  const start = performance.now();
  const now = (): number => Math.round(performance.now() - start);
  const gesture = new Gesture(key, 400, {
    pass: (bytes) => void passed.push([now(), bytes.toString('latin1')]),
    open: () => {
      opened = now();
    },
  });
  for (const [at, bytes] of input) {
    vi.advanceTimersByTime(at - now());
    gesture.receive(Buffer.from(bytes, 'latin1'));
  }
  vi.advanceTimersByTime(1000);
  return { passed, opened: opened as number | null };
}

const PASSES_AT_ONCE: readonly (readonly [string, readonly (readonly [number, string])[]])[] = [
  ['one Esc', [[100, '\x1b']]],
  [
    'two that are far apart',
    [
      [100, '\x1b'],
      [600, '\x1b'],
    ],
  ],
  [
    'Esc, a letter, Esc',
    [
      [100, '\x1b'],
      [200, 'x'],
      [300, '\x1b'],
    ],
  ],
  [
    'a cursor key',
    [
      [100, '\x1b[A'],
      [200, '\x1b[A'],
    ],
  ],
  [
    'a cursor key in parts',
    [
      [100, '\x1b'],
      [101, '[A'],
      [102, '\x1b'],
      [103, '[A'],
    ],
  ],
  [
    'Alt with a letter',
    [
      [100, '\x1bx'],
      [200, '\x1bx'],
    ],
  ],
  [
    'Alt with a letter, in parts',
    [
      [100, '\x1b'],
      [101, 'x'],
      [150, '\x1b'],
      [151, 'x'],
    ],
  ],
  [
    'Esc, then a cursor key',
    [
      [100, '\x1b'],
      [200, '\x1b[A'],
    ],
  ],
  [
    'a paste of two Escs',
    [
      [100, '\x1b[200~'],
      [110, '\x1b'],
      [120, '\x1b'],
      [130, '\x1b[201~'],
    ],
  ],
  [
    'a paste whose marks are in parts',
    [
      [100, '\x1b[20'],
      [101, '0~'],
      [110, '\x1b'],
      [120, '\x1b'],
      [130, '\x1b[201~'],
    ],
  ],
  ['a paste in one piece', [[100, 'a\x1b\x1bb']]],
  [
    'a paste without marks that ends in Esc',
    [
      [100, 'text'],
      [101, '\x1b'],
      [102, '\x1b'],
    ],
  ],
  [
    'a reply of the terminal in parts',
    [
      [100, '\x1b'],
      [101, ']11;rgb:0/0/0'],
      [102, '\x1b'],
      [103, '\\'],
    ],
  ],
];

describe('the gesture', () => {
  it.each(PASSES_AT_ONCE)('is not %s: it passes at once', (_what, input) => {
    expect(typed(input)).toEqual({ passed: input.map((one) => [...one]), opened: null });
  });

  it.each([
    [
      'two presses',
      [
        [100, '\x1b'],
        [300, '\x1b'],
      ],
      '\x1b',
    ],
    ['two presses that arrive together', [[100, '\x1b\x1b']], '\x1b'],
    [
      'the keyboard protocol of kitty',
      [
        [100, '\x1b[27u'],
        [300, '\x1b[27u'],
      ],
      '\x1b[27u',
    ],
    [
      'num lock',
      [
        [100, '\x1b[27;129u'],
        [300, '\x1b[27;129u'],
      ],
      '\x1b[27;129u',
    ],
  ] as const)('is %s: the first has passed, the second is swallowed', (_what, input, first) => {
    const { passed, opened } = typed(input);
    expect(passed).toEqual([[100, first]]);
    expect(opened).not.toBeNull();
  });

  it('is not disturbed by the mouse, the focus and releases of keys', () => {
    const { opened } = typed([
      [100, '\x1b[27;1:1u'],
      [150, '\x1b[27;1:3u'],
      [160, '\x1b[<35;3;4M\x1b[<35;3;5M'],
      [170, '\x1b[O'],
      [300, '\x1b[27;1:1u'],
    ]);
    expect(opened).not.toBeNull();
  });

  it('is not Alt with a cursor key in parts: nothing is lost', () => {
    const { passed, opened } = typed([
      [100, '\x1b'],
      [101, '\x1b'],
      [102, '[A'],
    ]);
    expect(passed.map(([, bytes]) => bytes).join('')).toBe('\x1b\x1b[A');
    expect(opened).toBeNull();
  });

  it('can be Ctrl-_', () => {
    expect(
      typed(
        [
          [100, '\x1f'],
          [200, '\x1f'],
        ],
        'ctrl-_',
      ).opened,
    ).not.toBeNull();
  });

  it.each([
    ['\x1d', '\x1d'],
    ['\x1b[93;5u', '\x1b[93;5u'],
    ['\x1b[27;5;93~', '\x1b[27;5;93~'],
  ])('can be another key: %j', (bytes) => {
    expect(
      typed(
        [
          [100, bytes],
          [200, bytes],
        ],
        'ctrl-]',
      ).opened,
    ).not.toBeNull();
    expect(
      typed(
        [
          [100, '\x1b'],
          [200, '\x1b'],
        ],
        'ctrl-]',
      ).opened,
    ).toBeNull();
  });
});

describe('the key', () => {
  it.each([
    [{ key: undefined, setting: '' }, 'htop', 'esc'],
    [{ key: undefined, setting: '' }, '/bin/bash -i', 'ctrl-^'],
    [{ key: undefined, setting: '' }, 'bash script.sh', 'esc'],
    [{ key: undefined, setting: '' }, 'python3.12', 'ctrl-^'],
    [{ key: undefined, setting: '' }, 'sqlite3 some.db', 'ctrl-^'],
    [{ key: undefined, setting: '' }, '/usr/bin/claude', 'ctrl-]'],
    [{ key: undefined, setting: '' }, 'vim', 'ctrl-_'],
    [{ key: undefined, setting: 'esc' }, 'claude', 'esc'],
    [{ key: 'ctrl-g', setting: 'esc' }, 'claude', 'ctrl-g'],
    [{ key: false, setting: 'esc' }, 'bash', null],
    [{ key: undefined, setting: 'none' }, 'bash', null],
  ] as const)('%j for %s is %s', (chosen, command, key) => {
    const [program = '', ...args] = command.split(' ');
    expect(gestureKey(chosen, program, args)).toBe(key);
  });
});
