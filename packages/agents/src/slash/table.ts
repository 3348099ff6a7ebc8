/** The commands that a person can type at the prompt of an agent. The same for all agents. */

import type { RestoreMode, SlashRequest } from './request.ts';

export interface SlashCommand {
  readonly name: string;
  /** What may follow the name, one form each. */
  readonly forms: readonly string[];
  /** One line for the menu of an agent. */
  readonly summary: string;
  /**
   * @param words what follows the name, split at blanks
   * @param text the same as one text
   * @returns null if it is none of the forms
   */
  parse(words: readonly string[], text: string): SlashRequest | null;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'checkpoint',
    forms: ['list', 'show ID', 'diff ID', 'restore ID [keep-outside | exact]', 'create [MESSAGE]'],
    summary: 'Savepoint: list, show, diff, restore or create checkpoints',
    parse: parseCheckpoint,
  },
  {
    name: 'rewind',
    forms: ['', 'NUMBER [keep-outside | exact]', 'ID [keep-outside | exact]'],
    summary: 'Savepoint: list the last prompts, or put the files back to before one of them',
    parse: parseRewind,
  },
  {
    name: 'undo',
    forms: [''],
    summary: 'Savepoint: undo its last restore, rollback or edit',
    parse: (words) => (words.length === 0 ? { kind: 'undo' } : null),
  },
  {
    name: 'redo',
    forms: [''],
    summary: 'Savepoint: redo what was undone',
    parse: (words) => (words.length === 0 ? { kind: 'redo' } : null),
  },
];

/** @param prefix as it was typed, such as `/savepoint:` */
export function slashUsage(prefix: string): string {
  const forms = SLASH_COMMANDS.flatMap(({ name, forms }) =>
    forms.map((form) => `  ${prefix}${name} ${form}`.trimEnd()),
  );
  return [
    'Savepoint has these commands:',
    ...forms,
    `ID is a checkpoint such as cp_12, last, last~2 or @prompt. NUMBER is that of a prompt in the list of \`${prefix}rewind\`.`,
  ].join('\n');
}

/** Ids and names only: what else the command line accepts may contain anything. */
const CHECKPOINT = /^(?:cp_[1-9]\d{0,8}|last(?:~\d{1,6})?|@prompt(?:~\d{1,6})?|@session)$/;
const TURN = /^[1-9]\d{0,2}$/;

function parseCheckpoint([verb, ...words]: readonly string[], text: string): SlashRequest | null {
  const [checkpoint = '', ...more] = words;
  switch (verb) {
    case undefined:
    case 'list':
      return words.length === 0 ? { kind: 'list' } : null;
    case 'show':
    case 'diff':
      return CHECKPOINT.test(checkpoint) && more.length === 0 ? { kind: verb, checkpoint } : null;
    case 'restore':
      return parseRestore(words);
    case 'create': {
      const message = text.slice(verb.length).trim();
      return { kind: 'create', message: message === '' ? null : message };
    }
    default:
      return null;
  }
}

function parseRewind(words: readonly string[]): SlashRequest | null {
  if (words.length === 0) return { kind: 'turns' };
  const [turn = '', ...more] = words;
  if (!TURN.test(turn)) return parseRestore(words);
  const mode = parseMode(more);
  return mode === undefined ? null : { kind: 'rewind', turn: Number(turn), mode };
}

function parseRestore([checkpoint = '', ...more]: readonly string[]): SlashRequest | null {
  const mode = parseMode(more);
  return mode === undefined || !CHECKPOINT.test(checkpoint) ? null : { kind: 'restore', checkpoint, mode };
}

/** @returns undefined: not understood */
function parseMode([mode, ...more]: readonly string[]): RestoreMode | null | undefined {
  if (mode === undefined) return null;
  return more.length === 0 && (mode === 'keep-outside' || mode === 'exact') ? mode : undefined;
}
