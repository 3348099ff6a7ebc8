/** `savepoint studio`: not a verb, but another front end, which runs until it is stopped. */
import { SavepointError, showText, textFromBytes } from '@savepoint/core';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import type { Studio } from '@savepoint/studio';
import { shellCaller } from '../../agent-shell.ts';
import { loadAgents } from '../../agents.ts';
import type { CommandEnvironment, Environment, StandaloneCommand } from '../../command.ts';
import { exporter } from '../../exporter.ts';
import { absolutePath, folderToOpen } from '../../folder.ts';
import { ownVersion } from '../../own-version.ts';
import { studioPage } from '../../studio-page.ts';
import { systemCode } from '../../system-error.ts';
import { writeAll } from '../../write.ts';
import { healthOf } from './health.ts';
import { openInBrowser } from './open-browser.ts';

const DEFAULT_IDLE_MINUTES = 30;
const MAX_IDLE_MINUTES = 7 * 24 * 60;
const MINUTE_MS = 60_000;

export const studio: StandaloneCommand = {
  description:
    'Opens a page in your browser that shows what agents do, with diffs, and that takes changes back. It is served to ' +
    'this machine only, for as long as the command runs. Ctrl-C ends it, and so does half an hour without an open page.',
  operands: [],
  takesCommand: false,
  options: [
    { flags: '--port <port>', description: 'listen on this port (default: any free one)' },
    { flags: '--no-open', description: 'print an address to open instead of opening the browser' },
    { flags: '--bundle <file>', description: 'look at the checkpoints of this bundle, without a folder for it' },
    { flags: '--read-only', description: 'only look: nothing can be changed from the page' },
    {
      flags: '--idle <minutes>',
      description: `end after this time without an open page (default ${DEFAULT_IDLE_MINUTES})`,
    },
  ],
  examples: [
    'savepoint studio',
    'savepoint studio --no-open --port 4000',
    'savepoint studio --read-only',
    'savepoint studio --bundle team.bundle',
  ],

  async run({ options }, environment) {
    const { globals, env, interrupt } = environment;
    const port = wholeNumber(options['port'], '--port', 65_535) ?? null;
    const idleMinutes = wholeNumber(options['idle'], '--idle', MAX_IDLE_MINUTES) ?? DEFAULT_IDLE_MINUTES;
    const running = await start(environment, {
      port,
      isReadOnly: options['readOnly'] === true,
      bundle: bundleFile(options['bundle'], environment),
      idleMs: idleMinutes * MINUTE_MS,
    });
    try {
      if (globals.json) printJson(running);
      else await openPage(running, env, options['open'] !== false);
      const interrupted = whenAborted(interrupt.signal).then(() => false);
      const wasIdle = await Promise.race([interrupted, running.idle.then(() => true)]);
      if (wasIdle && !globals.json) writeAll(1, `No page was open for ${idleMinutes} min, so Studio ends.\n`);
    } finally {
      await running.stop();
    }
    return interrupt.status() ?? 0;
  },
};

interface StartOptions {
  readonly port: number | null;
  readonly isReadOnly: boolean;
  /** Absolute; null: none. */
  readonly bundle: string | null;
  readonly idleMs: number;
}

async function start({ globals, env }: CommandEnvironment, options: StartOptions): Promise<Studio> {
  const places = nodePlaces(env);
  const ports = nodePorts();
  const home = textFromBytes(places.home);
  if (home === null) {
    throw new SavepointError('USAGE', "The path of Savepoint's home is not valid UTF-8.", {
      argument: 'SAVEPOINT_HOME',
    });
  }
  // Loaded on demand: the help of this command does not need it.
  const { startStudio } = await import('@savepoint/studio');
  try {
    return await startStudio({
      ...options,
      folder: folderToOpen(globals.folder, env),
      workspace: {
        ports,
        places,
        here: globals.here,
        settings: nodeSettings(env),
        exporter: exporter(env, process.argv[1] ?? ''),
        ownEntries: async () => (await loadAgents()).ownEntries,
        conversations: async () => (await loadAgents()).conversations({ ports, env }),
      },
      caller: shellCaller(env),
      home,
      page: studioPage(),
      version: ownVersion(),
      health: (root) => healthOf(root, home, env),
    });
  } catch (error) {
    throw listenError(error, options.port);
  }
}

/** @throws SavepointError USAGE */
function bundleFile(given: unknown, { env }: CommandEnvironment): string | null {
  if (typeof given !== 'string') return null;
  const path = textFromBytes(absolutePath(given, env));
  if (path !== null) return path;
  throw new SavepointError('USAGE', 'The path of the bundle is not valid UTF-8.', { argument: '--bundle' });
}

function printJson({ address, port, newAddress, startedBy }: Studio): void {
  writeAll(1, `${safeJson({ address, port, open: newAddress(), startedBy, pid: process.pid }, 0)}\n`);
}

async function openPage(running: Studio, env: Environment, opens: boolean): Promise<void> {
  const { address, port, startedBy } = running;
  writeAll(1, `Studio runs at ${address} until you press Ctrl-C.\n`);
  if (startedBy !== null) {
    const agent = showText(startedBy);
    writeAll(1, `It was started by ${agent}, so it does not do what only a person may do.\n`);
  }
  if (opens && (await openInBrowser(running.newOpeningFile(), env))) {
    writeAll(1, 'Your browser opens it. If it does not, run `savepoint studio --no-open`.\n');
    return;
  }
  writeAll(1, `Open this address in a browser. It works once, for ten minutes:\n\n  ${running.newAddress()}\n\n`);
  if (env['SSH_CONNECTION'] === undefined) return;
  const forward = `ssh -N -L ${port}:127.0.0.1:${port} HOST`;
  writeAll(1, `If the browser is on another machine, forward the same port there first:\n\n  ${forward}\n\n`);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** @throws SavepointError USAGE */
function wholeNumber(given: unknown, flag: string, max: number): number | undefined {
  if (given === undefined) return undefined;
  const number = typeof given === 'string' && /^[1-9]\d{0,5}$/.test(given) ? Number(given) : Number.NaN;
  if (number <= max) return number;
  throw new SavepointError('USAGE', `${flag} needs a number from 1 to ${max}, not ${JSON.stringify(given)}.`, {
    argument: flag,
  });
}

function listenError(error: unknown, port: number | null): unknown {
  const code = systemCode(error);
  if (port === null || (code !== 'EADDRINUSE' && code !== 'EACCES')) return error;
  const why = code === 'EACCES' ? 'it needs more rights' : 'another program uses it';
  return new SavepointError(
    'USAGE',
    `Studio cannot listen on port ${port}: ${why}.`,
    { argument: '--port' },
    { hint: 'Choose another port, or leave out --port.' },
  );
}
