/** Values to complete that only the workspace or the disk knows. Reads, and changes nothing. */
import { readdirSync, statSync } from 'node:fs';
import { bytesFromText, type DiskPath, open, type Savepoint, showName, textFromBytes } from '@savepoint/core';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import { loadAgents } from '../agents.ts';
import type { Environment } from '../command.ts';
import { folderToOpen } from '../folder.ts';
import { shortText } from '../show/checkpoint.ts';
import type { Choice, ValueKind, Wanted } from './wanted.ts';

/** How many of the newest checkpoints, changes and turns are offered. */
const NEWEST = 200;

/** @throws SavepointError if the workspace cannot be read, for example because it has no store */
export async function valuesOf(kind: ValueKind, wanted: Wanted, env: Environment): Promise<readonly Choice[]> {
  const dir = folderToOpen(wanted.folder, env);
  if (kind === 'path') return pathsIn(dir, wanted);
  if (kind === 'installable') {
    const { AGENTS } = await loadAgents();
    return Object.values(AGENTS).map(({ name, title }) => ({ value: name, description: title }));
  }
  const savepoint = open({
    dir,
    here: wanted.here,
    ports: nodePorts(),
    places: nodePlaces(env),
    settings: nodeSettings(env),
  });
  try {
    return await fromWorkspace[kind](savepoint);
  } finally {
    await savepoint.close();
  }
}

const fromWorkspace: Readonly<
  Record<Exclude<ValueKind, 'path' | 'installable'>, (savepoint: Savepoint) => Promise<readonly Choice[]>>
> = {
  checkpoint: async (savepoint) => {
    const { checkpoints } = await savepoint.list({ limit: NEWEST });
    const ids = checkpoints.map(({ id, description }) => ({ value: id, description: shortText(description) }));
    return ids.length === 0
      ? []
      : [
          ...ids,
          { value: 'last', description: 'the newest checkpoint' },
          { value: 'last~1', description: 'the one before' },
          { value: '@prompt', description: 'before the work on the last prompt' },
          { value: '@session', description: 'the start of the last session' },
        ];
  },
  session: async (savepoint) => {
    const { turns } = await savepoint.turns({ limit: NEWEST });
    const found = new Map<string, string>();
    for (const { session, actor, prompt } of turns) {
      if (!found.has(session)) found.set(session, shortText(`${actor.name}: ${prompt ?? ''}`));
    }
    return [...found].map(([value, description]) => ({ value, description }));
  },
  change: async (savepoint) => {
    const { entries } = await savepoint.history({ limit: NEWEST });
    return entries.map(({ change: { id, operation, path } }) => ({
      value: id,
      description: `${operation} ${showName(path)}`,
    }));
  },
  copy: async (savepoint) => {
    const { copies } = await savepoint.copies();
    const ofCommands = copies.filter(({ purpose }) => purpose === 'try' || purpose === 'isolated');
    return ofCommands.map(({ id, purpose }) => ({ value: id, description: purpose }));
  },
  plan: async (savepoint) => {
    const { plans } = await savepoint.plans();
    return plans
      .toReversed()
      .slice(0, NEWEST)
      .map(({ plan: { id, intent } }) => ({ value: id, description: shortText(intent) }));
  },
  agent: async (savepoint) => {
    const { entries } = await savepoint.history({ limit: NEWEST });
    const names = new Set(
      entries.flatMap(({ change }) =>
        change.by.authors.map(({ actor }) => (actor.kind === 'agent' ? actor.name : actor.kind)),
      ),
    );
    return [...names].map((value) => ({ value, description: '' }));
  },
};

/** The names in the folder of the word so far. Folders end in a slash. */
function pathsIn(dir: DiskPath, { typed, takesOptions }: Wanted): readonly Choice[] {
  const end = typed.lastIndexOf('/') + 1;
  const parent = bytesFromText(typed.slice(0, end));
  const folder = Buffer.from(parent.startsWith('/') ? parent : `${dir}/${parent}`, 'latin1');
  const entries = readdirSync(folder, { encoding: 'buffer', withFileTypes: true });
  return entries.flatMap((entry) => {
    const bytes = entry.name.toString('latin1');
    if (bytes.startsWith('.') && typed[end] !== '.') return [];
    const path = `${parent}${bytes}`;
    const text = textFromBytes(path);
    // Paths that are not UTF-8, or begin with a quote, can only be given as Savepoint prints them.
    if (text === null || text.startsWith('"')) return [{ value: showName(path), description: '' }];
    const value = takesOptions && text.startsWith('-') ? `./${text}` : text;
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && isFolderAt(folder, entry.name));
    return [{ value: isFolder ? `${value}/` : value, description: '' }];
  });
}

function isFolderAt(folder: Buffer, name: Buffer): boolean {
  const path = Buffer.concat([folder, Buffer.from('/'), name]);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
