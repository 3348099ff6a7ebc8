/** Runs the command line: from its arguments to an exit status. */
import { isatty } from 'node:tty';
import {
  type DiskPath,
  ERROR_CODES,
  nameFromJson,
  nameToJson,
  open,
  type Savepoint,
  SavepointError,
  showText,
} from '@savepoint/core';
import { shellCaller } from './agent-shell.ts';
import { agentReports, reportToJson } from './agents.ts';
import { nameOfArgument } from './argument-path.ts';
import type {
  CommandContext,
  CommandEnvironment,
  GlobalOptions,
  ParsedArguments,
  VerbArguments,
  VerbCommand,
} from './command.ts';
import { daemonWatcher } from './daemon/watcher.ts';
import { asFailure, failureAsJson, failureAsText } from './failure.ts';
import { absolutePath, folderToOpen } from './folder.ts';
import { ask } from './input/ask.ts';
import { type Interrupt, listenForInterrupts } from './interrupt.ts';
import { openOptions } from './opening.ts';
import { page } from './pager.ts';
import { helpHint, parseArguments, wantsJson } from './program.ts';
import { ProgressLine } from './progress.ts';
import { resultOf } from './result.ts';
import { countText } from './show/format.ts';
import { outputViewOf } from './view.ts';
import { OutputError, writeAll } from './write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param interrupt already listens, and may have been interrupted
 * @returns the exit status
 */
export async function run(
  args: readonly string[],
  env: Environment,
  interrupt: Interrupt = listenForInterrupts(),
): Promise<number> {
  try {
    const parsed = await parseArguments(args);
    if (parsed.kind === 'text') {
      writeAll(1, parsed.text);
      return 0;
    }
    const { globals } = parsed;
    const start = { globals, env, signal: interrupt.signal };
    const environment: CommandEnvironment = {
      globals,
      env,
      interrupt,
      parse: parseArguments,
      inWorkspace: (work) => withWorkspace({ ...start, globals: { ...globals, json: false } }, work),
    };
    if (parsed.kind === 'none') {
      const status = globals.json ? null : await (await loadBrowse()).browseIfUseful(environment);
      if (status === null) writeAll(1, parsed.text);
      return status ?? 0;
    }
    const { command, given } = parsed;
    if ('verb' in command) return await runVerb(command, given, { ...start, interrupt });
    return await command.run(given, environment);
  } catch (error) {
    return reportFailure(error, args, env, interrupt);
  } finally {
    interrupt.end();
  }
}

/** @returns the exit status */
export function reportFailure(error: unknown, args: readonly string[], env: Environment, interrupt: Interrupt): number {
  // The reader closed the pipe, so there is no one to report to.
  if (error instanceof OutputError && error.code === 'EPIPE') return 1;
  const failure = withOwnHelp(asFailure(error), args);
  const text = wantsJson(args) ? failureAsJson(failure) : failureAsText(failure, outputViewOf(2, env).style);
  try {
    writeAll(2, text);
  } catch {
    // Standard error is closed; the exit status still reports the failure.
  }
  return failure.code === 'CANCELLED' ? (interrupt.status() ?? failure.exit) : failure.exit;
}

/** A call whose error has no hint of its own gets that of its command. */
function withOwnHelp(failure: SavepointError, args: readonly string[]): SavepointError {
  if (failure.code !== 'USAGE' || failure.hint !== ERROR_CODES.USAGE.hint) return failure;
  return new SavepointError('USAGE', failure.message, failure.data, { hint: helpHint(args), cause: failure });
}

const loadBrowse = () => import('./commands/checkpoints/browse.ts');

interface RunContext {
  readonly globals: GlobalOptions;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Whether the command's own output reports recovered operations. */
  readonly reportsRecovery?: boolean;
}

async function runVerb(
  parsed: VerbCommand,
  { operands, rest, options }: ParsedArguments,
  start: RunContext & Pick<CommandEnvironment, 'interrupt'>,
): Promise<number> {
  const typed: VerbArguments =
    parsed.takesCommand === true
      ? { operands, paths: [], rest, options }
      : { operands, paths: rest.map(nameOfArgument), options };
  const { command, given } = (await parsed.instead?.(typed)) ?? { command: parsed, given: typed };
  const { verb } = command;
  const { env } = start;
  return withWorkspace({ ...start, reportsRecovery: verb.name === 'recover' }, async (context, warned) => {
    const input = await command.input(given, context);
    const following = command.follow?.(input, given, context) ?? null;
    if (following !== null) {
      await following;
      return start.interrupt.status() ?? 0;
    }
    const result = await resultOf(command, given, input, { context, view: outputViewOf(1, env) });
    context.clearProgress();
    for (const message of result.warnings) warned.delete(message);
    if (result.isPaged) page(result.text, env, (await context.savepoint.place()).root);
    else writeAll(1, result.text);
    return result.exit;
  });
}

/**
 * Opens the workspace, and reports progress and events on the terminal. Warnings that remain in `warned` are printed at
 * the end.
 */
async function withWorkspace(
  { globals, env, signal, reportsRecovery }: RunContext,
  work: (context: CommandContext, warned: Set<string>) => Promise<number>,
): Promise<number> {
  const dir = folderToOpen(globals.folder, env);
  const options = openOptions({ dir, here: globals.here, env }, process.argv[1] ?? '');
  const watcher = daemonWatcher(options.places.home, env, async () => (await savepoint.config()).daemon.enabled);
  const ports = watcher === null ? options.ports : { ...options.ports, watcher };
  const savepoint: Savepoint = open({ ...options, ports, caller: shellCaller(env) });
  const progress = new ProgressLine();
  const tellsPeople = !globals.json;
  let held: string[] | null = null;
  const say = (text: string): void => {
    if (held !== null) {
      held.push(text);
      return;
    }
    progress.clear();
    if (tellsPeople) writeAll(2, `${showText(text)}\n`);
  };
  const withoutMessages = async <T>(work: () => Promise<T>): Promise<T> => {
    held = [];
    try {
      return await work();
    } finally {
      const texts: readonly string[] = held;
      held = null;
      texts.forEach(say);
    }
  };
  if (tellsPeople && isatty(2)) {
    savepoint.on('progress', (event) => {
      if (held === null) progress.show(event);
    });
  }
  const warned = new Set<string>();
  savepoint.on('warning', ({ message }) => void warned.add(message));
  savepoint.on('waiting', ({ pid, state }) => {
    // It is over when messages are printed again.
    if (held === null) say(`Waiting for another process (pid ${pid}, ${state}) …`);
  });
  savepoint.on('recovered', ({ settled }) => {
    if (reportsRecovery === true) return;
    for (const { direction, paths } of settled) say(recoveredText(direction, paths.length));
  });
  try {
    return await work(
      {
        savepoint,
        signal,
        output: globals.json ? 'json' : isatty(1) ? 'terminal' : 'plain',
        clearProgress: () => progress.clear(),
        withoutMessages,
        view: outputViewOf(2, env),
        ask: tellsPeople && isatty(0) && isatty(2) ? (text, question) => askBelow(progress, text, question) : null,
        variables: definedIn(env),
        absolutePath: (path) => nameToJson(absolutePath(path, env)),
        agents: async (root) =>
          (await agentReports(dir, env, root === undefined ? dir : (nameFromJson(root) as DiskPath))).map(reportToJson),
      },
      warned,
    );
  } finally {
    progress.clear();
    for (const message of warned) say(`warning: ${message}`);
  }
}

async function askBelow(progress: ProgressLine, text: string, question: string): Promise<boolean> {
  progress.clear();
  writeAll(2, text);
  return ask(question);
}

function recoveredText(direction: 'forward' | 'back' | 'discarded', paths: number): string {
  if (direction === 'discarded')
    return 'Recovered an interrupted operation: it had not changed anything yet and was discarded.';
  const how = direction === 'forward' ? 'finished' : 'rolled back';
  return `Recovered an interrupted operation (${countText(paths, 'path')}): it was ${how}.`;
}

function definedIn(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
