/** `savepoint browse`: not a verb, because it is a screen over many of them. */
import { isatty } from 'node:tty';
import { bytesFromText, SavepointError, showName } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import type { CommandContext, CommandEnvironment, Environment, StandaloneCommand } from '../../command.ts';

export const browse: StandaloneCommand = {
  description:
    'Shows turns and checkpoints with their diffs on the whole screen, to look through, filter, compare, restore and ' +
    'roll back. `?` lists all keys. `savepoint` without a command does the same on a terminal, if the workspace has ' +
    'checkpoints.',
  operands: [],
  takesCommand: false,
  options: [],
  examples: ['savepoint browse', 'savepoint'],

  async run(_given, { globals, env, interrupt, inWorkspace }) {
    if (globals.json) throw refusal('`savepoint browse` has no JSON output.');
    if (!isatty(0) || !isatty(1)) throw refusal('`savepoint browse` needs a terminal.');
    if (env['TERM'] === 'dumb')
      throw refusal('`savepoint browse` needs a terminal that can place text, and TERM is dumb.');
    return inWorkspace(async (context) => {
      await shown(context, env, interrupt.signal);
      return interrupt.status() ?? 0;
    });
  },
};

/** `savepoint` without a command. @returns null if the help is to be shown instead */
export async function browseIfUseful({
  env,
  interrupt,
  inWorkspace,
}: Pick<CommandEnvironment, 'env' | 'interrupt' | 'inWorkspace'>): Promise<number | null> {
  if (!isatty(0) || !isatty(1) || env['TERM'] === 'dumb') return null;
  let isShown = false;
  try {
    const status = await inWorkspace(async (context) => {
      const { checkpoints, damaged } = await VERBS.list.handle(context.savepoint, { limit: 1, view: 'all' }, {});
      if (checkpoints.length + damaged.length === 0) return 0;
      isShown = true;
      await shown(context, env, interrupt.signal);
      return interrupt.status() ?? 0;
    });
    return isShown ? status : null;
  } catch (error) {
    // The help works everywhere; what is wrong with the store is said by the commands.
    if (!isShown && error instanceof SavepointError) return null;
    throw error;
  }
}

async function shown(context: CommandContext, env: Environment, signal: AbortSignal): Promise<void> {
  const { savepoint } = context;
  const place = await savepoint.place();
  const [{ browse: open }, { COLOURED, UNCOLOURED }] = await Promise.all([
    import('../../browser/browser.tsx'),
    import('../../browser/view/paint.ts'),
  ]);
  const paints = (env['NO_COLOR'] ?? '') === '' ? COLOURED : UNCOLOURED;
  await context.withoutMessages(() => open({ savepoint, paints, signal, workspace: folderText(place.root, env) }));
}

/** `~/shop`, as shells show it. */
function folderText(root: string, env: Environment): string {
  const home = bytesFromText(env['HOME'] ?? '');
  return home !== '' && root.startsWith(`${home}/`) ? `~/${showName(root.slice(home.length + 1))}` : showName(root);
}

function refusal(message: string): SavepointError {
  return new SavepointError(
    'USAGE',
    message,
    {},
    { hint: '`savepoint list`, `savepoint turns` and `savepoint diff` print the same.' },
  );
}
