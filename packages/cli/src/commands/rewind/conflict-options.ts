/** How users resolve conflicts: the same options in restore, rollback, undo and redo. */
import { type JsonName, nameFromJson, nameToJson, SavepointError } from '@savepoint/core';
import { bytesOfArgument, nameOfArgument } from '../../argument-path.ts';
import type { CliOptionSpec, CommandContext, VerbArguments } from '../../command.ts';
import { readInput } from '../../input/read-input.ts';

export const CONFLICT_OPTIONS: readonly CliOptionSpec[] = [
  {
    flags: '--ours <path>',
    description: 'on a conflict in this path, keep the current lines; can be repeated',
    isRepeatable: true,
  },
  {
    flags: '--theirs <path>',
    description:
      'on a conflict in this path, take the lines to bring back, and keep changes next to them; can be repeated',
    isRepeatable: true,
  },
  {
    flags: '--resolution <path=file>',
    description: 'on a conflict in this path, write the content of the file, which you merged by hand; can be repeated',
    isRepeatable: true,
  },
  { flags: '--skip-conflicts', description: 'leave paths alone that do not merge, and do the rest' },
];

interface ConflictInput {
  ours?: JsonName[];
  theirs?: JsonName[];
  resolutions?: { path: JsonName; content: JsonName }[];
  skipConflicts?: true;
}

/** @throws SavepointError USAGE if a resolution is not PATH=FILE, IO if its file cannot be read, CANCELLED */
export async function conflictInput(
  options: VerbArguments['options'],
  { absolutePath, signal }: Pick<CommandContext, 'absolutePath' | 'signal'>,
): Promise<ConflictInput> {
  const { ours, theirs, resolution, skipConflicts } = options;
  const resolutions: { path: JsonName; content: JsonName }[] = [];
  for (const given of Array.isArray(resolution) ? (resolution as readonly string[]) : []) {
    const { path, file } = splitAtFile(given);
    const content = await readInput(nameFromJson(absolutePath(file)), `the resolution ${JSON.stringify(file)}`, signal);
    resolutions.push({ path: nameToJson(bytesOfArgument(path)), content: nameToJson(content.toString('latin1')) });
  }
  return {
    ...(Array.isArray(ours) ? { ours: ours.map((path: string) => nameOfArgument(path)) } : {}),
    ...(Array.isArray(theirs) ? { theirs: theirs.map((path: string) => nameOfArgument(path)) } : {}),
    ...(resolutions.length > 0 ? { resolutions } : {}),
    ...(skipConflicts === true ? { skipConflicts } : {}),
  };
}

/** A path that contains `=` must be quoted, as Savepoint prints unusual names: `"a=b.txt"=merged.txt`. */
function splitAtFile(given: string): { readonly path: string; readonly file: string } {
  const [, path, file] = /^("(?:[^"\\]|\\.)*"|[^"=][^=]*)=(.+)$/s.exec(given) ?? [];
  if (path !== undefined && file !== undefined) return { path, file };
  throw new SavepointError(
    'USAGE',
    `--resolution takes PATH=FILE, not ${JSON.stringify(given)}.`,
    { argument: 'resolution' },
    {
      hint: 'PATH is the path in conflict, FILE has its merged content. Quote a PATH with "=": \'"a=b.txt"=merged.txt\'.',
    },
  );
}
