/** Answers a command that only reads, in the daemon: with the verbs and the output of the command line. */
import { bytesFromText, type DiskPath, nameFromJson, nameToJson, open, type Progress, showText } from '@savepoint/core';
import { nodePlaces } from '@savepoint/core/node';
import { agentReports, reportToJson } from '../agents.ts';
import { nameOfArgument } from '../argument-path.ts';
import type { CommandContext, CommandEnvironment, VerbArguments } from '../command.ts';
import { folderFrom } from '../folder.ts';
import { openOptions } from '../opening.ts';
import { resultOf } from '../result.ts';
import { viewOfStream } from '../view.ts';
import { ANSWERED, type CommandReply, type CommandRequest, zoneOffsets } from './command-request.ts';
import type { WorkspaceLease } from './workspace-pool.ts';

/** They change how a process reads files, and are read when it starts. */
const OF_A_PROCESS = ['SAVEPOINT_NATIVE', 'SAVEPOINT_WATCH'];

export type ParseCommandLine = CommandEnvironment['parse'];

export interface Answering {
  readonly parse: ParseCommandLine;
  /** The home that the daemon serves. */
  readonly home: DiskPath;
  readonly lease: WorkspaceLease;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Receives the user's settings of the daemon. */
  readonly onConfigured: (daemon: { readonly enabled: boolean; readonly idleMs: number }) => void;
}

/** @returns null if it is not a request: any process of the user may send one */
export function parseCommandRequest(body: Buffer): CommandRequest | null {
  try {
    const request = JSON.parse(body.toString('utf8')) as CommandRequest | null;
    return isRequest(request) ? request : null;
  } catch {
    return null;
  }
}

/** Whatever fails is declined: the command then does its work itself, and reports what it finds. */
export async function answerCommand(request: CommandRequest, answering: Answering): Promise<CommandReply> {
  try {
    return await answer(request, answering);
  } catch (error) {
    return { declined: error instanceof Error ? error.message : 'it failed' };
  }
}

async function answer(request: CommandRequest, answering: Answering): Promise<CommandReply> {
  const { args, env, streams, node, script } = request;
  const { home, lease, signal } = answering;
  if (nodePlaces(env).home !== home) return { declined: 'another home' };
  if (OF_A_PROCESS.some((name) => env[name] !== process.env[name])) return { declined: 'another way to read files' };
  if (`${zoneOffsets(new Date())}` !== `${request.zone}`) return { declined: 'another time zone' };
  const parsed = await answering.parse(args);
  if (parsed.kind !== 'command' || !('verb' in parsed.command)) return { declined: 'not a verb' };
  const { globals } = parsed;
  const { operands, rest, options } = parsed.given;
  const typed: VerbArguments = { operands, paths: rest.map(nameOfArgument), options };
  const { command, given } = (await parsed.command.instead?.(typed)) ?? { command: parsed.command, given: typed };
  if (!ANSWERED.has(command.verb.name) || command.verb.changes !== 'nothing') return { declined: 'not only reading' };
  // Analysis of code takes much memory, which the command gives back.
  if (options['review'] === true) return { declined: 'an analysis of code' };

  const current = bytesFromText(request.folder) as DiskPath;
  const dir = globals.folder === undefined ? current : folderFrom(globals.folder, () => current);
  const opening = openOptions({ dir, here: globals.here, env }, script);
  const { root } = await open(opening).place();
  const savepoint = lease.openOnce(opening, root);
  const { daemon } = await savepoint.config();
  answering.onConfigured(daemon);
  if (!daemon.enabled) return { declined: 'turned off' };
  const warnings = new Set<string>();
  savepoint.on('warning', ({ message }) => void warnings.add(message));
  savepoint.on('progress', answering.onProgress);
  const view = viewOfStream(streams[0], env);
  const context: CommandContext = {
    savepoint,
    signal,
    ask: null,
    output: globals.json ? 'json' : view.isTerminal ? 'terminal' : 'plain',
    clearProgress: () => undefined,
    withoutMessages: (work) => work(),
    view: viewOfStream(streams[1], env),
    variables: env,
    absolutePath: (path) => nameToJson(folderFrom(path, () => current)),
    agents: async (workspace) => {
      const folder = workspace === undefined ? dir : (nameFromJson(workspace) as DiskPath);
      return (await agentReports(dir, env, folder, { node, script })).map(reportToJson);
    },
  };
  const input = await command.input(given, context);
  if ((command.follow?.(input, given, context) ?? null) !== null) return { declined: 'it does not end' };
  const result = await resultOf(command, given, input, { context, view });
  for (const message of result.warnings) warnings.delete(message);
  return {
    answer: {
      text: Buffer.from(result.text).toString('base64'),
      pagedIn: result.isPaged ? root : null,
      warnings: globals.json ? [] : [...warnings].map((message) => `warning: ${showText(message)}\n`),
      exit: result.exit,
    },
  };
}

function isRequest(given: CommandRequest | null): given is CommandRequest {
  if (typeof given !== 'object' || given === null) return false;
  const { args, folder, env, streams, zone, node, script } = given;
  const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0');
  return (
    [args, streams, zone].every(Array.isArray) &&
    [folder, node, script, ...args].every(isText) &&
    folder.startsWith('/') &&
    typeof env === 'object' &&
    env !== null &&
    Object.values(env).every(isText) &&
    streams.length === 2 &&
    streams.every((one) => typeof one === 'object' && one !== null && typeof one.isTerminal === 'boolean') &&
    streams.every(({ columns }) => columns === undefined || Number.isInteger(columns))
  );
}
