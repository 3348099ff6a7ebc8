/** The effects of an agent's tools on files, as a table per agent. */

import type { ToolKind } from '@savepoint/core';
import type { ToolCall } from './event.ts';
import { type Fields, fieldsOf, textIn } from './fields.ts';
import { patchHeader } from './patch-header.ts';
import { hasFailed, type WrittenText, writtenByPatch, writtenText } from './written.ts';

export interface ToolRow {
  readonly kind: ToolKind;
  /** The paths that a call declares; null if it does not declare any, or not reliably. */
  readonly paths: (input: Fields) => readonly string[] | null;
  /** What a call writes to its paths; null if it does not report that. */
  readonly writes: (input: Fields, response: Fields) => readonly WrittenText[] | null;
}

/** Keyed by the agent's name of the tool. `reads`: the tool only reads, so no checkpoint is taken around its calls. */
export type ToolTable = Readonly<Record<string, ToolRow | 'reads'>>;

const unknown = (): null => null;

/** A tool that writes the path in the first of these fields. */
export function fileTool(kind: 'write' | 'edit', ...keys: readonly string[]): ToolRow {
  return {
    kind,
    paths: (input) => {
      const path = textIn(input, ...keys);
      return path === null ? null : [path];
    },
    writes: (input, response) => {
      const path = textIn(input, ...keys);
      const written = path === null ? null : writtenText(path, input, response);
      return written === null ? null : [written];
    },
  };
}

export const SHELL: ToolRow = { kind: 'shell', paths: unknown, writes: unknown };
/** A patch in the format of Codex, whose headers name the files. */
export function patchTool(...keys: readonly string[]): ToolRow {
  return {
    kind: 'edit',
    paths: (input) => {
      const patch = textIn(input, ...keys);
      if (patch === null) return null;
      const paths = patch.split('\n').flatMap((line) => patchHeader(line)?.path ?? []);
      return paths.length === 0 ? null : paths;
    },
    writes: (input) => {
      const patch = textIn(input, ...keys);
      return patch === null ? null : writtenByPatch(patch);
    },
  };
}

/** An unknown tool may write anywhere. */
export const UNKNOWN_TOOL: ToolRow = { kind: 'other', paths: unknown, writes: unknown };

export function readOnlyTools(...names: readonly string[]): ToolTable {
  return Object.fromEntries(names.map((name) => [name, 'reads' as const]));
}

export type ClassifiedCall = Pick<ToolCall, 'kind' | 'paths' | 'writes'>;

/**
 * @param response the result of the tool, if it has ended
 * @returns null for a tool that only reads
 */
export function classifyCall(
  table: ToolTable,
  name: string,
  input: unknown,
  response: unknown = null,
): ClassifiedCall | null {
  const row = Object.hasOwn(table, name) ? (table[name] ?? UNKNOWN_TOOL) : UNKNOWN_TOOL;
  if (row === 'reads') return null;
  const [given, result] = [fieldsOf(input), fieldsOf(response)];
  const paths = row.paths(given);
  const writes = paths !== null && hasFailed(result) ? [] : row.writes(given, result);
  return { kind: row.kind, paths, writes };
}

/**
 * The tools of our MCP server, as clients name them: `mcp__savepoint__edit`, `mcp_savepoint_edit`, `savepoint-edit`.
 */
export function isOwnTool(name: string): boolean {
  return /^(?:mcp__savepoint__|mcp_savepoint_|savepoint[-_.])/.test(name);
}
