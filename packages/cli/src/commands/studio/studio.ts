/** `savepoint studio`: not a verb, but another front end, which runs until it is stopped. */
import { SavepointError, textFromBytes } from '@savepoint/core';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import { shellCaller } from '../../agent-shell.ts';
import { loadAgents } from '../../agents.ts';
import type { StandaloneCommand } from '../../command.ts';
import { exporter } from '../../exporter.ts';
import { folderToOpen } from '../../folder.ts';
import { ownVersion } from '../../own-version.ts';
import { studioPage } from '../../studio-page.ts';
import { systemCode } from '../../system-error.ts';
import { writeAll } from '../../write.ts';

export const studio: StandaloneCommand = {
  description:
    'Opens a page in your browser that shows what agents do, with diffs, and that takes changes back. It is served on ' +
    'this machine only, for as long as the command runs. Press Ctrl-C to end it.',
  operands: [],
  takesCommand: false,
  options: [
    { flags: '--port <port>', description: 'listen on this port (default: any free one)' },
    { flags: '--no-open', description: 'print an address to open instead of opening the browser' },
    { flags: '--read-only', description: 'only look: nothing can be changed from the page' },
  ],
  examples: ['savepoint studio', 'savepoint studio --no-open --port 4000'],

  async run({ options }, { globals, env, interrupt }) {
    const port = portOption(options['port']);
    const places = nodePlaces(env);
    const home = textFromBytes(places.home);
    if (home === null) {
      throw new SavepointError('USAGE', 'The name of the home of Savepoint is not valid UTF-8.', {
        argument: 'SAVEPOINT_HOME',
      });
    }
    const ports = nodePorts();
    // Loaded on demand: the help of this command does not need it.
    const { startStudio } = await import('@savepoint/studio');
    const running = await startStudio({
      folder: folderToOpen(globals.folder, env),
      workspace: {
        ports,
        places,
        here: globals.here,
        settings: nodeSettings(env),
        caller: shellCaller(env),
        exporter: exporter(env, process.argv[1] ?? ''),
        ownEntries: async () => (await loadAgents()).ownEntries,
        conversations: async () => (await loadAgents()).conversations({ ports, env }),
      },
      home,
      page: studioPage(),
      port,
      isReadOnly: options['readOnly'] === true,
      version: ownVersion(),
    }).catch((error: unknown) => {
      throw listenError(error, port);
    });
    const address = await running.newAddress();
    if (globals.json) writeAll(1, `${safeJson({ address: running.address, open: address }, 0)}\n`);
    else writeAll(1, `Studio runs at ${running.address}\nOpen this address in your browser: ${address}\n`);
    await new Promise<void>((resolve) => {
      if (interrupt.signal.aborted) resolve();
      interrupt.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await running.stop();
    return interrupt.status() ?? 0;
  },
};

/** @throws SavepointError USAGE */
function portOption(given: unknown): number {
  if (given === undefined) return 0;
  const port = typeof given === 'string' && /^[1-9]\d{0,4}$/.test(given) ? Number(given) : Number.NaN;
  if (port <= 65_535) return port;
  throw new SavepointError('USAGE', `--port needs a number from 1 to 65535, not ${JSON.stringify(given)}.`, {
    argument: '--port',
  });
}

function listenError(error: unknown, port: number): unknown {
  const code = systemCode(error);
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EACCES' ? 'it needs more rights' : 'another program uses it';
  return new SavepointError(
    'USAGE',
    `Studio cannot listen on port ${port}: ${why}.`,
    { argument: '--port' },
    { hint: 'Choose another port, or leave out --port.' },
  );
}
