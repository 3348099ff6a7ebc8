/** `savepoint mcp`: no verb, but another face, which lives as long as its client. */
import { SavepointError, showText } from '@savepoint/core';
import { exporter } from '../exporter.ts';
import { absolutePath } from '../folder.ts';
import { writeAll } from '../write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export const MCP = {
  summary: 'serve the verbs as MCP tools, on standard input and output',
  description:
    'A server of the Model Context Protocol for a coding agent. It works in the first --root that will do; without one ' +
    'it asks its client for its roots. The file system root and home folders are refused.',
  flags: '--root <dir>',
  flagsDescription: 'the folder to work in; may be given several times',
  examples: ['savepoint mcp --root .', 'claude mcp add savepoint -- savepoint mcp --root .'],

  /** @throws SavepointError USAGE */
  roots(own: { readonly root?: readonly string[] }, global: Readonly<Record<string, unknown>>): readonly string[] {
    const wrong = [
      ['C', '-C'],
      ['here', '--here'],
      ['json', '--json'],
    ].find(([key]) => global[key as string] !== undefined);
    if (wrong === undefined) return own.root ?? [];
    throw new SavepointError('USAGE', `mcp does not take ${wrong[1]}; its folder is given with --root.`, {
      argument: wrong[1],
    });
  },

  /** @returns the exit status */
  async serve(roots: readonly string[], version: string, env: Environment, signal: AbortSignal): Promise<number> {
    const folders = roots.map((root) => absolutePath(root, env));
    // Loaded here only: the other commands start faster without it.
    const { serve } = await import('@savepoint/mcp');
    return serve({
      roots: folders,
      version,
      streams: { input: process.stdin, output: process.stdout },
      env,
      exporter: exporter(env, process.argv[1] ?? ''),
      signal,
      log: tell,
    });
  },
};

function tell(line: string): void {
  try {
    writeAll(2, `savepoint mcp: ${showText(line)}\n`);
  } catch {
    // Nowhere is left to say it.
  }
}
