/** What happens with the changes that a command made in a copy: the options, the same in all commands. */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { type JsonName, nameFromJson, SavepointError, showName } from '@savepoint/core';
import type { CliOptionSpec, CommandContext, ParsedArguments } from '../command.ts';
import { CONFLICT_OPTIONS, conflictInput } from '../commands/rewind/conflict-options.ts';
import type { ConflictInput } from './proposal.ts';

export type Decision =
  /** @param isAlways even if the command failed */
  | { readonly kind: 'apply'; readonly isAlways: boolean }
  | { readonly kind: 'patch'; readonly file: JsonName }
  /**
   * @param intent null: what was done in the copy
   * @param revises the plan of which it is the next revision; null: it is a new one
   */
  | { readonly kind: 'plan'; readonly intent: string | null; readonly revises: string | null }
  | { readonly kind: 'keep' }
  | { readonly kind: 'drop' };

const KINDS = ['apply', 'patch', 'plan', 'revise', 'keep', 'drop'] as const;

export const DECISION_OPTIONS: readonly CliOptionSpec[] = [
  {
    flags: '--apply',
    description: 'apply the changes to the folder if the command succeeds',
    conflicts: ['patch', 'plan', 'revise', 'keep', 'drop'],
  },
  { flags: '--always', description: 'with --apply: also if the command fails' },
  {
    flags: '--patch <file>',
    description: 'save the changes as a patch for `git apply`, in a file that does not exist yet',
    conflicts: ['plan', 'revise', 'keep', 'drop'],
  },
  {
    flags: '--plan',
    description: 'keep the changes as a plan, to review before they are applied',
    conflicts: ['revise', 'keep', 'drop'],
  },
  {
    flags: '--revise <plan>',
    description: 'work on this plan: the copy has what it proposes, and the result is its next revision',
    conflicts: ['keep', 'drop'],
  },
  { flags: '-m, --message <text>', description: 'with --plan: what the plan is for' },
  { flags: '--keep', description: 'keep the copy, and decide later', conflicts: 'drop' },
  { flags: '--drop', description: 'drop the changes' },
];

/** For the changes that are applied. */
export const APPLY_OPTIONS: readonly CliOptionSpec[] = [
  ...CONFLICT_OPTIONS,
  { flags: '--force', description: 'also change frozen paths' },
];

/** For `openCopy`: the plan that the copy has. */
export function planOf(decision: Decision | null): { readonly plan?: string } {
  return decision?.kind === 'plan' && decision.revises !== null ? { plan: decision.revises } : {};
}

/**
 * @param name of the command, for messages
 * @param mayAsk whether there is a terminal to ask on
 * @returns null: the user is asked
 * @throws SavepointError USAGE if nothing is given and there is no terminal
 */
export function decisionIn(
  name: string,
  { options }: ParsedArguments,
  mayAsk: boolean,
  { absolutePath }: Pick<CommandContext, 'absolutePath'>,
): Decision | null {
  const kind = KINDS.find((one) => options[one] !== undefined && options[one] !== false);
  const isAlways = options['always'] === true;
  if (isAlways && kind !== 'apply') {
    throw new SavepointError('USAGE', '--always needs --apply.', { argument: '--always' });
  }
  const { message } = options;
  if (typeof message === 'string' && kind !== 'plan') {
    throw new SavepointError('USAGE', '--message needs --plan.', { argument: '--message' });
  }
  if (kind === undefined && !mayAsk) {
    throw new SavepointError(
      'USAGE',
      'There is no terminal to ask what to do with the changes.',
      { argument: '--apply' },
      {
        hint: `The command was not run. Give ${name} one of --apply, --patch FILE, --plan, --revise PLAN, --keep or --drop.`,
      },
    );
  }
  if (kind === undefined) return null;
  if (kind === 'apply') return { kind, isAlways };
  if (kind === 'plan') return { kind, intent: typeof message === 'string' ? message : null, revises: null };
  if (kind === 'revise') return { kind: 'plan', intent: null, revises: String(options['revise']) };
  if (kind !== 'patch') return { kind };
  const file = absolutePath(String(options['patch']));
  assertNewFile(file);
  return { kind, file };
}

/** @throws SavepointError USAGE if options of --apply are given without it */
export async function conflictsIn(
  { options }: ParsedArguments,
  decision: Decision | null,
  context: CommandContext,
): Promise<ConflictInput> {
  const choices = await conflictInput({ ...options }, context);
  const given = { ...choices, ...(options['force'] === true ? { force: true } : {}) };
  const [first] = Object.keys(given);
  if (first !== undefined && decision !== null && decision.kind !== 'apply') {
    const argument = `--${first.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace('resolutions', 'resolution')}`;
    throw new SavepointError('USAGE', `${argument} needs --apply.`, { argument });
  }
  return given;
}

/** The same is checked again when it is written. @throws SavepointError USAGE */
export function assertNewFile(file: JsonName): void {
  const shown = showName(nameFromJson(file));
  const path = Buffer.from(nameFromJson(file), 'latin1');
  const problem = isThere(path)
    ? `${shown} already exists.`
    : isThere(Buffer.from(dirname(path.toString('latin1')), 'latin1'))
      ? null
      : `The folder of ${shown} does not exist.`;
  if (problem === null) return;
  const hint = 'Nothing was written. Name a new file in a folder that exists.';
  throw new SavepointError('USAGE', problem, { argument: '--patch' }, { hint });
}

/** A file name that the user typed at a question. */
export function typedFile(typed: string, { absolutePath }: Pick<CommandContext, 'absolutePath'>): JsonName {
  const file = absolutePath(typed);
  assertNewFile(file);
  return file;
}

function isThere(path: Buffer): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
