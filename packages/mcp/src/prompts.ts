/**
 * The prompts of the server: what a user chooses in the menu of a client. They ask the model to call our tools, and to
 * show a preview before anything changes. Where hooks are installed, the commands of `savepoint install` need no model.
 */

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  /** What a client offers while the user types. */
  readonly values: readonly string[];
}

interface Prompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  /** @returns what the user asks the model for */
  ask(given: (name: string) => string | undefined): string;
}

export interface PromptListing {
  readonly name: string;
  readonly description: string;
  readonly arguments?: { readonly name: string; readonly description: string; readonly required: false }[];
}

export function promptListings(): PromptListing[] {
  return PROMPTS.map(({ name, description, arguments: all }) => ({
    name,
    description,
    ...(all.length === 0
      ? {}
      : { arguments: all.map((one) => ({ name: one.name, description: one.description, required: false })) }),
  }));
}

/** Returns what the model gets; null if there is no such prompt. */
export function promptText(name: string, given: Readonly<Record<string, unknown>>): string | null {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (prompt === undefined) return null;
  return prompt.ask((argument) => {
    const value = Object.hasOwn(given, argument) ? given[argument] : undefined;
    return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_LENGTH) : undefined;
  });
}

/** Returns how an argument can go on. */
export function completionsOf(prompt: string, argument: string, typed: string): string[] {
  const all =
    PROMPTS.find(({ name }) => name === prompt)?.arguments.find(({ name }) => name === argument)?.values ?? [];
  return all.filter((value) => value.startsWith(typed));
}

const MAX_LENGTH = 1_000;
const CHECKPOINTS = ['@prompt', '@prompt~2', '@session', 'last'];
const TWO_STEPS =
  'First call it without preview_id, and tell me which files would change. Call it again with the preview_id only after ' +
  'I agree. Then tell me how to revert that.';

const PROMPTS: readonly Prompt[] = [
  {
    name: 'checkpoint',
    description: 'List, show, compare, restore or create checkpoints',
    arguments: [
      { name: 'action', description: 'default: list', values: ['list', 'show', 'diff', 'restore', 'create'] },
      { name: 'what', description: 'a checkpoint such as cp_12; for create, a message', values: CHECKPOINTS },
    ],
    ask: (given) => checkpointText(given('action') ?? 'list', given('what')),
  },
  {
    name: 'rewind',
    description: 'List the last prompts, or put the files back to before one of them',
    arguments: [{ name: 'to', description: 'a checkpoint, or 1 for before the last prompt', values: CHECKPOINTS }],
    ask: (given) => {
      const to = given('to');
      if (to === undefined) {
        return 'Call checkpoint_list and list the checkpoints of my prompts, the newest first, with their ids. Change nothing.';
      }
      const isTurn = /^[1-9]\d{0,2}$/.test(to);
      return restoreText(isTurn ? (to === '1' ? '@prompt' : `@prompt~${to}`) : to);
    },
  },
  {
    name: 'undo',
    description: "Undo Savepoint's last restore, rollback or edit",
    arguments: [],
    ask: () => `Call the tool undo. ${TWO_STEPS}`,
  },
  {
    name: 'redo',
    description: 'Redo what was undone',
    arguments: [],
    ask: () => `Call the tool redo. ${TWO_STEPS}`,
  },
];

function checkpointText(action: string, what: string | undefined): string {
  const which = what === undefined ? 'the last checkpoint' : `the checkpoint ${JSON.stringify(what)}`;
  switch (action) {
    case 'list':
      return 'Call checkpoint_list and list the checkpoints with their ids. Change nothing.';
    case 'show':
      return `Call checkpoint_show for ${which} and tell me what it contains. Change nothing.`;
    case 'diff':
      return `Call checkpoint_diff from ${which} to the current files and tell me what changed. Change nothing.`;
    case 'restore':
      return restoreText(what ?? 'last');
    case 'create':
      return `Call checkpoint_create${what === undefined ? '' : ` with the message ${JSON.stringify(what)}`}.`;
    default:
      return `Savepoint has no action ${JSON.stringify(action)}. Tell me that these exist: list, show, diff, restore, create.`;
  }
}

function restoreText(checkpoint: string): string {
  return `Call checkpoint_restore for the checkpoint ${JSON.stringify(checkpoint)}. ${TWO_STEPS}`;
}
