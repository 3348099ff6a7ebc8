import { nameFromJson, SavepointError } from '@savepoint/core';
import { showContent, VERBS } from '@savepoint/core/frontend';
import { command } from '../../command.ts';
import { writeAll } from '../../write.ts';

const CHUNK_BYTES = 16 * 1024 * 1024;

export const cat = command({
  verb: VERBS.cat,
  operands: [['<checkpoint>', 'cp_12, last, @prompt, @session, a commit id or @{10 minutes ago}']],
  takesPaths: true,
  isPaged: true,
  options: [
    { flags: '--offset <bytes>', description: 'start at this byte (default 0)' },
    { flags: '--length <bytes>', description: 'print at most this many bytes (default: all; with --json 1 MiB)' },
  ],
  examples: ['savepoint cat cp_12 -- src/a.ts', 'savepoint cat @prompt -- logo.png > logo.png'],

  input({ operands: [checkpoint = ''], paths, options }, { output }) {
    const [path, ...others] = paths;
    if (path === undefined || others.length > 0) {
      throw new SavepointError('USAGE', 'Give exactly one path.', { argument: 'paths' }, { hint: PATH_HINT });
    }
    const offset = byteCount(options['offset'], '--offset');
    const length = byteCount(options['length'], '--length') ?? (output === 'json' ? undefined : CHUNK_BYTES);
    return {
      checkpoint,
      path,
      ...(offset === undefined ? {} : { offset }),
      ...(length === undefined ? {} : { length }),
    };
  },

  async carryOut(input, { options }, { savepoint, signal, output }) {
    let part = await VERBS.cat.handle(savepoint, input, { signal });
    while (output !== 'json' && options['length'] === undefined && part.more) {
      writeAll(1, contentOf(part.content, output === 'terminal'));
      // Names such as `last` may mean another checkpoint by now.
      const rest = { ...input, checkpoint: part.checkpoint, offset: part.offset + part.length };
      part = await VERBS.cat.handle(savepoint, rest, { signal });
    }
    return part;
  },

  render: ({ content }, { isTerminal }) => contentOf(content, isTerminal),
});

const PATH_HINT = 'The path goes after --, for example: `savepoint cat cp_12 -- src/a.ts`.';

/** A program gets the raw bytes; for a terminal, control characters are escaped. */
function contentOf(content: Parameters<typeof nameFromJson>[0], isTerminal: boolean): string | Buffer {
  const bytes = nameFromJson(content);
  return isTerminal ? showContent(bytes) : Buffer.from(bytes, 'latin1');
}

/** @throws SavepointError USAGE */
function byteCount(text: unknown, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  throw new SavepointError('USAGE', `${flag} needs a number of bytes, not ${JSON.stringify(text)}.`, {
    argument: flag,
  });
}
