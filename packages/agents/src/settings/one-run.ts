/**
 * Hooks for one run of an agent, as `savepoint run` starts it: by its command line or its environment, so that no file of
 * the user or of the project changes, and nothing is left to remove if the run is killed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { SavepointError } from '@savepoint/core';
import type { Agent } from '../agent.ts';
import { readGivenFile } from './given-file.ts';
import { hookCommand } from './hook-command.ts';
import { type AgentStart, GivenSettingsError, type HookedStart } from './integration.ts';
import { SettingsShapeError } from './json-edit.ts';
import { JsonTextError } from './json-text.ts';
import { findInstalled, type InstallEnvironment } from './plan.ts';
import { replaceFile } from './replace-file.ts';

/**
 * - `installed`: the agent's settings have the hooks already.
 * - `added`: this start has them.
 * - `none`: why there are none.
 */
export type HooksForRun =
  | { readonly kind: 'installed' }
  | { readonly kind: 'added'; readonly start: HookedStart }
  | { readonly kind: 'none'; readonly reason: string };

/** @param home the folder of the stores, for files of our own */
export function hooksForRun(agent: Agent, start: AgentStart, around: InstallEnvironment, home: string): HooksForRun {
  const isInstalled = (['project', 'user'] as const).some(
    (place) => findInstalled(agent, place, around)?.state === 'hooked',
  );
  if (isInstalled) return { kind: 'installed' };
  const { form, oneRun } = agent.integration;
  if (oneRun === undefined) return { kind: 'none', reason: `${agent.title} accepts no hooks for a single run` };
  const files: { path: string; content: string }[] = [];
  try {
    const hooked = oneRun({
      command: hookCommand(agent.name, 'user', around.program),
      form,
      start,
      ownFile: (name, content) => {
        const digest = createHash('sha256').update(content).digest('hex').slice(0, 12);
        const ending = extname(name);
        // Other runs may have other contents at the same time.
        const path = join(home, 'agents', `${name.slice(0, -ending.length)}.${digest}${ending}`);
        files.push({ path, content });
        return path;
      },
      read: readGivenFile,
    });
    for (const { path, content } of files) writeIfNew(path, content);
    return { kind: 'added', start: hooked };
  } catch (error) {
    if (isRefusal(error) || isSystemError(error)) return { kind: 'none', reason: error.message };
    throw error;
  }
}

/** What the user gives cannot be extended, so the agent gets it as it is. */
function isRefusal(error: unknown): error is Error {
  return [JsonTextError, SettingsShapeError, GivenSettingsError].some((kind) => error instanceof kind);
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function writeIfNew(path: string, content: string): void {
  if (readIfExists(path) === content) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, Buffer.from(content), 0o600);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && !(error instanceof SavepointError) && 'syscall' in error;
}
