import { nameFromJson, SavepointError, showName } from '@savepoint/core';
import { type OutputOf, showContent, VERBS } from '@savepoint/core/frontend';
import { command } from '../../command.ts';
import { writeAll } from '../../write.ts';

const CHUNK_BYTES = 16 * 1024 * 1024;

export const cat = command({
  verb: VERBS.cat,
  operands: [
    [
      '[checkpoint]',
      'cp_12, last, @prompt, @session, a commit id or @{10 minutes ago}; default: the file as it is now',
    ],
  ],
  takesPaths: true,
  isPaged: true,
  options: [
    { flags: '--plan <plan>', description: 'print the file of this plan: its id, or last' },
    {
      flags: '--state <state>',
      choices: ['proposed', 'selected', 'base'],
      description: 'with --plan: the file as proposed (default), as it would be applied, or as it was before',
    },
    { flags: '--offset <bytes>', description: 'start at this byte (default 0)' },
    { flags: '--length <bytes>', description: 'print at most this many bytes (default: all; with --json 1 MiB)' },
  ],
  examples: [
    'savepoint cat cp_12 -- src/a.ts',
    'savepoint cat @prompt -- logo.png > logo.png',
    'savepoint cat --plan last --state selected -- src/a.ts',
  ],

  input({ operands: [checkpoint], paths, options }, { output }) {
    const [path, ...others] = paths;
    if (path === undefined || others.length > 0) {
      throw new SavepointError('USAGE', 'Give exactly one path.', { argument: 'paths' }, { hint: PATH_HINT });
    }
    const offset = byteCount(options['offset'], '--offset');
    const length = byteCount(options['length'], '--length') ?? (output === 'json' ? undefined : CHUNK_BYTES);
    return {
      ...(checkpoint === undefined ? {} : { checkpoint }),
      ...(typeof options['plan'] === 'string' ? { plan: options['plan'] } : {}),
      ...(options['state'] === undefined ? {} : { state: options['state'] as 'proposed' | 'selected' | 'base' }),
      path,
      ...(offset === undefined ? {} : { offset }),
      ...(length === undefined ? {} : { length }),
    };
  },

  async carryOut(input, { options }, { savepoint, signal, output }) {
    let part = await VERBS.cat.handle(savepoint, input, { signal });
    while (output !== 'json' && options['length'] === undefined && part.more) {
      writeAll(1, contentOf(part.content, output === 'terminal'));
      // Names such as `last` may mean another checkpoint or plan by now.
      const from = part.checkpoint === null ? {} : { checkpoint: part.checkpoint };
      const plan = part.plan === null ? {} : { plan: part.plan.id };
      const rest = { ...input, ...from, ...plan, offset: part.offset + part.length };
      const next = await VERBS.cat.handle(savepoint, rest, { signal });
      if (next.id !== part.id) throw changedMeanwhile(next);
      part = next;
    }
    return part;
  },

  render: ({ content }, { isTerminal }) => contentOf(content, isTerminal),
});

const PATH_HINT = 'The path goes after --, for example: `savepoint cat cp_12 -- src/a.ts`.';

function changedMeanwhile({ path }: Pick<OutputOf<typeof VERBS.cat>, 'path'>): SavepointError {
  return new SavepointError(
    'IO',
    `${showName(nameFromJson(path))} changed while it was printed.`,
    { path, operation: 'read', code: 'EAGAIN' },
    { hint: 'What was printed is only its beginning. Run the command again.' },
  );
}

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
