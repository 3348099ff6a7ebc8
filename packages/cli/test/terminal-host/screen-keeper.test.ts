import headless from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { ScreenKeeper } from '../../src/terminal-host/screen-keeper.ts';

const SIZE = { columns: 40, rows: 10 };

function terminal(): headless.Terminal {
  return new headless.Terminal({ cols: SIZE.columns, rows: SIZE.rows, scrollback: 100, allowProposedApi: true });
}

function written(to: headless.Terminal, text: string): Promise<void> {
  return new Promise((resolve) => to.write(text, resolve));
}

/** Everything that a user or a program can notice. */
function stateOf({ buffer, modes, _core }: headless.Terminal & { readonly _core?: unknown }): unknown {
  const screens = [buffer.normal, buffer.active].map((screen) =>
    Array.from({ length: screen.length }, (_, row) => {
      const line = screen.getLine(row);
      return Array.from({ length: line?.length ?? 0 }, (_, column) => {
        const cell = line?.getCell(column);
        const style = [cell?.getFgColor(), cell?.getBgColor(), cell?.isBold(), cell?.isInverse(), cell?.isUnderline()];
        return [cell?.getChars() || ' ', cell?.getWidth(), ...style].join(',');
      });
    }),
  );
  const core = _core as {
    coreService: { isCursorHidden: boolean };
    buffer: { scrollTop: number; scrollBottom: number };
  };
  const { cursorX, cursorY, baseY, type } = buffer.active;
  const { scrollTop, scrollBottom } = core.buffer;
  const isCursorHidden = core.coreService.isCursorHidden;
  return { screens, cursorX, cursorY, baseY, type, modes: { ...modes }, isCursorHidden, scrollTop, scrollBottom };
}

const LINES = Array.from({ length: 30 }, (_, line) => `line ${line}\r\n`).join('');

describe('an overlay', () => {
  it.each([
    ['a shell', `${LINES}$ \x1b[32mls\x1b[0m --col\x1b[?2004h`],
    ['a program that repaints the last lines', `${LINES}one\r\ntwo\x1b[1A\r\x1b[2Kthree\x1b[?25l\x1b[?1h\x1b=`],
    ['a line that is full to its end', `${LINES}${'x'.repeat(40)}`],
    ['a style that is not ended', `${LINES}\x1b[1;31;44mred`],
    ['the alternate screen', `${LINES}\x1b[?1049h\x1b[2J\x1b[3;5H\x1b[7mtitle\x1b[0m\x1b[10;1H~\x1b[4;2H\x1b[?1h\x1b=`],
    ['the alternate screen with mouse and pastes', `\x1b[?1049h\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[?1004hhere`],
    ['the alternate screen with margins', `\x1b[?1049h\x1b[3;8rx\x1b[5;7Hy`],
    ['the alternate screen with margins and origin', `\x1b[?1049h\x1b[3;8r\x1b[?6hx\x1b[2;7Hy`],
    ['the alternate screen in another style', `\x1b[?1049h\x1b[44m\x1b[2J\x1b[31mblue\x1b[9;1H\x1b[?25l`],
    [
      'the alternate screen that is full',
      `\x1b[?1049h${Array.from({ length: 10 }, () => 'y'.repeat(40)).join('\r\n')}`,
    ],
    ['wide characters', `${LINES}日本語 e\u0301 text`],
    ['wide characters in the alternate screen', `\x1b[?1049h日本語 e\u0301\r\ntext`],
    ['no autowrap, insert mode, graphics', `${LINES}\x1b[?7l\x1b[4h\x1b(0qqq`],
  ])('leaves no trace: %s', async (_what, output) => {
    const real = terminal();
    const untouched = terminal();
    const keeper = new ScreenKeeper(SIZE, () => undefined);
    await written(untouched, output);
    await written(real, output);
    keeper.follow(Buffer.from(output));
    await keeper.caughtUp();
    expect(keeper.isBetweenSequences).toBe(true);
    await written(real, `${keeper.overlayBegins()}${'overlay\r\n'.repeat(20)}\x1b[31m\x1b[5;5Hmore`);
    expect(real.modes).toMatchObject({ mouseTrackingMode: 'none', bracketedPasteMode: false, originMode: false });
    await written(real, keeper.overlayEnds());
    expect(stateOf(real)).toEqual(stateOf(untouched));
    const more = '\x1b[1mmore\r\nand more';
    await written(real, more);
    await written(untouched, more);
    expect(stateOf(real)).toEqual(stateOf(untouched));
  });

  it('does not start within a sequence or a character', async () => {
    for (const part of ['\x1b', '\x1b[3', '\x1b]0;title', '\x1bP1;2', Buffer.from([0xe2, 0x82])]) {
      const keeper = new ScreenKeeper(SIZE, () => undefined);
      keeper.follow(Buffer.from(part as string));
      await keeper.caughtUp();
      expect(keeper.isBetweenSequences).toBe(false);
    }
  });
});

describe('what a program leaves on', () => {
  it.each([
    ['nothing', 'text\x1b[?25l\x1b[?25h\x1b[?1049h\x1b[?1049l', ''],
    ['the alternate screen and no cursor', '\x1b[?1049h\x1b[?25l', '\x1b[?25h\x1b[?1049l\x1b[0m'],
    [
      'mouse, pastes, keys',
      '\x1b[?1002;1006h\x1b[?2004h\x1b[?1h\x1b=\x1b[>1u\x1b[>4;2m',
      /\[\?1002l.*\[\?1006l.*\[\?2004l/,
    ],
    ['the keyboard of kitty, twice', '\x1b[>1u\x1b[>5u', '\x1b[<2u\x1b[0m'],
    ['margins', '\x1b[3;8r', '\x1b7\x1b[r\x1b8\x1b[0m'],
    ['after a full reset nothing', '\x1b[?1049h\x1b[?1002h\x1bc', ''],
  ])('%s', async (_what, output, wanted) => {
    const keeper = new ScreenKeeper(SIZE, () => undefined);
    keeper.follow(Buffer.from(output));
    await keeper.caughtUp();
    if (typeof wanted === 'string') expect(keeper.left()).toBe(wanted);
    else expect(keeper.left()).toMatch(wanted);
    const real = terminal();
    await written(real, output + keeper.left());
    expect(real.modes).toEqual(terminal().modes);
    expect(real.buffer.active.type).toBe('normal');
  });
});
