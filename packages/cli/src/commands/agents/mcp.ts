/** `savepoint mcp`: not a verb, but another front end, which runs as long as its client. */
import { SavepointError, showText } from '@savepoint/core';
import { loadAgents } from '../../agents.ts';
import type { GlobalOptions, StandaloneCommand } from '../../command.ts';
import { exporter } from '../../exporter.ts';
import { absolutePath } from '../../folder.ts';
import { ownVersion } from '../../own-version.ts';
import { writeAll } from '../../write.ts';

export const mcp: StandaloneCommand = {
  description:
    'Runs an MCP server (Model Context Protocol) for a coding agent. It works in the first usable --root. Without ' +
    '--root, it asks its client for roots. The file system root and home folders are refused.',
  operands: [],
  takesCommand: false,
  options: [{ flags: '--root <dir>', description: 'the folder to work in; can be repeated', isRepeatable: true }],
  examples: ['savepoint mcp --root .', 'claude mcp add savepoint -- savepoint mcp --root .'],

  async run({ options: { root } }, { globals, env, interrupt }) {
    assertNoneOf(globals);
    const roots = (Array.isArray(root) ? root : []).map((given: string) => absolutePath(given, env));
    // Loaded on demand: the help of this command does not need it.
    const { serve } = await import('@savepoint/mcp');
    return serve({
      roots,
      version: ownVersion(),
      streams: { input: process.stdin, output: process.stdout },
      env,
      exporter: exporter(env, process.argv[1] ?? ''),
      ownEntries: async () => (await loadAgents()).ownEntries,
      sandboxesShell: async (client) => (await loadAgents()).mayUseSandbox(client),
      signal: interrupt.signal,
      log: logLine,
    });
  },
};

/** @throws SavepointError USAGE */
function assertNoneOf({ folder, here, json }: GlobalOptions): void {
  const wrong = folder !== undefined ? '-C' : here ? '--here' : json ? '--json' : null;
  if (wrong === null) return;
  throw new SavepointError('USAGE', `mcp does not take ${wrong}; use --root to set its folder.`, {
    argument: wrong,
  });
}

function logLine(line: string): void {
  try {
    writeAll(2, `savepoint mcp: ${showText(line)}\n`);
  } catch {
    // Standard error is closed, so the line is lost.
  }
}
