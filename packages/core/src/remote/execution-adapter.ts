/** What an agent's harness needs from its place of execution: commands, files, and the list of repositories. */

import { showName } from '../content/show-name.ts';
import { type JsonName, nameFromJson, type TreePath, treePathFromJson } from '../model/names.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { OutputOf } from '../verbs/verb.ts';
import { openRemoteWith, type RemoteOptions, type RemoteSavepoint } from './remote-savepoint.ts';

export type RepositoryJson = OutputOf<typeof import('../verbs/workspace/repos.ts').repos>['repositories'][number];

export interface ExecutionAdapter extends Sandbox {
  /** The workspace in the sandbox: checkpoints, restore, rollback and undo. */
  readonly workspace: RemoteSavepoint;
  /**
   * Returns every root with its branch, commit and state: the workspace itself, and each repository in it at any depth.
   */
  repositories(options?: { readonly signal?: AbortSignal }): Promise<readonly RepositoryJson[]>;
  /**
   * Returns the contents of each root as text for people and models: one escaped name per line, indented by depth.
   * @param options.depth levels of folders, 1 to 16. Default 2
   */
  directoryStructures(options?: {
    readonly depth?: number;
    readonly signal?: AbortSignal;
  }): Promise<ReadonlyMap<TreePath, string>>;
}

/**
 * Combines a sandbox with a workspace in it.
 * @param dir absolute path of the workspace in the sandbox
 * @param options as for `openRemote`
 */
export function executionAdapter(sandbox: Sandbox, dir: JsonName, options: RemoteOptions): ExecutionAdapter {
  const { remote, ask } = openRemoteWith(sandbox, dir, options);
  return {
    ...sandbox,
    workspace: remote,
    repositories: async (context = {}) => (await remote.repos({}, context)).repositories,
    async directoryStructures({ depth, ...context } = {}) {
      const { structures } = await ask('structures', depth === undefined ? {} : { depth }, context);
      return new Map(structures.map(({ path, lines }) => [treePathFromJson(path), lines.map(lineText).join('\n')]));
    },
  };
}

interface StructureLineJson {
  readonly depth: number;
  readonly name: JsonName;
  readonly kind: 'file' | 'folder' | 'root' | 'unreadable' | 'more';
  readonly count: number | null;
}

function lineText({ depth, name, kind, count }: StructureLineJson): string {
  const indent = `${'  '.repeat(depth)}- `;
  if (kind === 'more') return `${indent}… and ${count ?? 0} more`;
  if (kind === 'unreadable') return `${indent}(cannot be read)`;
  const bytes = nameFromJson(name);
  if (kind === 'file') return `${indent}${showName(bytes)}`;
  return `${indent}${showName(`${bytes}/`)}${kind === 'root' ? ' (a root of its own)' : ''}`;
}
