/** The command line as commander knows it, made from the table of commands. */
import { SavepointError } from '@savepoint/core';
import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command, Given, OptionSpec } from './command.ts';
import type { DaemonRequest } from './commands/daemon.ts';
import { DAEMON } from './commands/daemon-words.ts';
import { INSTALL, type InstallRequest } from './commands/install.ts';
import { MCP } from './commands/mcp.ts';
import { RUN, type RunRequest } from './commands/run.ts';
import { COMMANDS } from './commands/table.ts';
import { WATCH, type WatchRequest } from './commands/watch.ts';
import { nameOfArgument } from './given-name.ts';
import { ownVersion } from './own-version.ts';

export interface GlobalOptions {
  readonly folder: string | undefined;
  readonly here: boolean;
  readonly json: boolean;
}

/** What was typed: something to carry out, or a text that was asked for. */
export type Typed =
  | { readonly kind: 'command'; readonly command: Command; readonly given: Given; readonly options: GlobalOptions }
  | { readonly kind: 'mcp'; readonly roots: readonly string[] }
  | { readonly kind: 'run'; readonly request: RunRequest; readonly options: GlobalOptions }
  | { readonly kind: 'watch'; readonly request: WatchRequest }
  | { readonly kind: 'install'; readonly request: InstallRequest }
  | { readonly kind: 'daemon'; readonly request: DaemonRequest }
  | { readonly kind: 'text'; readonly text: string };

/** @throws SavepointError USAGE */
export function parseArguments(args: readonly string[]): Typed {
  let text = '';
  let typed: Typed | null = null;
  const hear = (said: string): void => {
    text += said;
  };
  const { head, rest } = splitArguments(args);
  const program = new Commander('savepoint');
  const settle = (command: Commander): Commander =>
    command
      .exitOverride()
      .configureOutput({ writeOut: hear, writeErr: () => undefined })
      .showSuggestionAfterError(true);
  settle(program)
    .description('Checkpoints a whole workspace, restores it byte for byte, and undoes the restore.')
    .option('-C <dir>', 'work as if started in that folder')
    .option('--here', 'this very folder is the workspace, whatever encloses it')
    .option('--json', 'answer as JSON; a failure is JSON on standard error')
    .version(ownVersion(), '-V, --version', 'print the version')
    .addHelpText('after', MAIN_HELP);
  for (const command of COMMANDS) {
    const built = settle(parentOf(program, command, settle).command(lastWord(command)));
    built.summary(command.verb.summary).description(command.verb.description);
    for (const [syntax, description] of command.operands) built.argument(syntax, description);
    for (const option of command.options) built.addOption(optionOf(option));
    if (command.takesPaths)
      built.usage(`[options] ${command.operands.map(([syntax]) => syntax).join(' ')} [-- paths...]`);
    built.addHelpText('after', `\nExamples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`);
    built.action(() => {
      const options: Given['options'] = built.opts();
      const { C: folder, here, json } = program.opts<{ C?: string; here?: boolean; json?: boolean }>();
      typed = {
        kind: 'command',
        command,
        given: { operands: built.args, paths: rest.map(nameOfArgument), options },
        options: { folder, here: here === true, json: json === true },
      };
    });
  }
  const mcp = settle(program.command('mcp')).summary(MCP.summary).description(MCP.description);
  mcp.option(MCP.flags, MCP.flagsDescription, (root, before: readonly string[]) => [...before, root], []);
  mcp.addHelpText('after', `\nExamples:\n${MCP.examples.map((example) => `  ${example}\n`).join('')}`);
  mcp.action(() => {
    typed = { kind: 'mcp', roots: MCP.roots(mcp.opts(), program.opts()) };
  });
  const run = settle(program.command('run')).summary(RUN.summary).description(RUN.description).usage(RUN.usage);
  for (const option of RUN.options) run.addOption(optionOf(option));
  run
    .argument('[none...]')
    .addHelpText('after', `\nExamples:\n${RUN.examples.map((example) => `  ${example}\n`).join('')}`);
  run.action(() => {
    const { C: folder, here, json } = program.opts<{ C?: string; here?: boolean; json?: boolean }>();
    assertBehind(run.args, json === true);
    const options = { folder, here: here === true, json: false };
    typed = { kind: 'run', request: { command: rest, options: run.opts() }, options };
  });
  const watch = settle(program.command('watch')).summary(WATCH.summary).description(WATCH.description);
  watch.option(WATCH.flags, WATCH.flagsDescription);
  watch.addHelpText('after', `\nExamples:\n${WATCH.examples.map((example) => `  ${example}\n`).join('')}`);
  watch.action(() => {
    const { C: folder, here } = program.opts<{ C?: string; here?: boolean }>();
    const options = { folder, here: here === true };
    typed = { kind: 'watch', request: { options, after: watch.opts<{ after?: string }>().after } };
  });
  for (const what of ['install', 'uninstall'] as const) {
    const { summary, description, examples } = INSTALL[what];
    const built = settle(program.command(what)).summary(summary).description(description);
    built.argument(
      what === 'install' ? '[agent]' : '<agent>',
      'claude, gemini, codex, copilot, opencode, cline or cursor',
    );
    built.addOption(new Option('--project', 'in the settings of this folder (default)').conflicts('user'));
    built.addOption(new Option('--user', 'in your own settings, for all folders'));
    built.addOption(new Option('--dry-run', 'only show the difference'));
    built.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}`);
    built.action(() => {
      const { project, user, dryRun } = built.opts<{ project?: boolean; user?: boolean; dryRun?: boolean }>();
      const { C: folder, json } = program.opts<{ C?: string; json?: boolean }>();
      typed = {
        kind: 'install',
        request: {
          what,
          agent: built.args[0],
          project: project === true,
          user: user === true,
          dryRun: dryRun === true,
          folder,
          json: json === true,
        },
      };
    });
  }
  const daemon = settle(program.command('daemon')).summary(DAEMON.summary).description(DAEMON.description);
  for (const what of ['status', 'stop', 'run'] as const) {
    const { summary, examples } = DAEMON.of[what];
    const built = settle(daemon.command(what, { hidden: what === 'run' }))
      .summary(summary)
      .description(summary);
    if (what === 'run') built.option('--idle <seconds>', 'how long it stays when nobody asks');
    built.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}`);
    built.action(() => {
      const { json } = program.opts<{ json?: boolean }>();
      const { idle } = built.opts<{ idle?: string }>();
      typed = { kind: 'daemon', request: { what, idle, json: json === true } };
    });
  }
  try {
    program.parse([...head], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const askedForNothing = error.code === 'commander.help' && program.args.length === 0;
    if (error.exitCode !== 0 && !askedForNothing) throw usageError(error);
    if (askedForNothing) text = program.helpInformation() + MAIN_HELP;
  }
  return typed ?? { kind: 'text', text };
}

/** Whether a command line that may not even be one asks for JSON: then its error is JSON, too. */
export function wantsJson(args: readonly string[]): boolean {
  return splitArguments(args).head.includes('--json');
}

/** Commander forgets where `--` stood; for commands that take paths, or a command, everything behind it is that. */
function splitArguments(args: readonly string[]): {
  readonly head: readonly string[];
  readonly rest: readonly string[];
} {
  const cut = args.indexOf('--');
  if (cut < 0) return { head: args, rest: [] };
  const head = args.slice(0, cut);
  const word = head.find((argument, index) => !argument.startsWith('-') && head[index - 1] !== '-C');
  const takesRest = word === 'run' || COMMANDS.some(({ verb, takesPaths }) => takesPaths && verb.name === word);
  return takesRest ? { head, rest: args.slice(cut + 1) } : { head: args, rest: [] };
}

/** @throws SavepointError USAGE */
function assertBehind(stray: readonly string[], json: boolean): void {
  const [first] = stray;
  if (first !== undefined) {
    const hint = 'As in `savepoint run -- npm test`.';
    const message = `The command of run stands behind --; ${JSON.stringify(first)} stands before it.`;
    throw new SavepointError('USAGE', message, { argument: first }, { hint });
  }
  if (json) {
    throw new SavepointError('USAGE', 'run does not take --json: the output is that of the command.', {
      argument: '--json',
    });
  }
}

function optionOf({ flags, description, choices, conflicts, many }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (many === true) option.argParser((value, before: readonly string[] = []) => [...before, value]);
  if (conflicts !== undefined) option.conflicts(conflicts);
  return option;
}

function parentOf(program: Commander, { verb }: Command, settle: (command: Commander) => Commander): Commander {
  const [group, name] = verb.name.split(' ');
  if (name === undefined || group === undefined) return program;
  const found = program.commands.find((command) => command.name() === group);
  if (found !== undefined) return found;
  const names = COMMANDS.flatMap((other) => (other.verb.name.startsWith(`${group} `) ? [lastWord(other)] : []));
  const description =
    names.length > 1 ? `${names.join(', ')}; see \`savepoint ${group} --help\`` : `${name}: ${verb.summary}`;
  return settle(program.command(group)).description(description);
}

function lastWord({ verb }: Command): string {
  return verb.name.split(' ').at(-1) ?? verb.name;
}

function usageError(error: CommanderError): SavepointError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest
    .join(' ')
    .trim()
    .replace(/^\(|\)$/g, '');
  const message = error.code === 'commander.help' ? 'There is no such verb.' : capitalised(first);
  const hint = 'Run `savepoint help` for the verbs and their options.';
  return new SavepointError(
    'USAGE',
    /[.?!]$/.test(message) ? message : `${message}.`,
    {},
    { hint: suggestion === '' ? hint : `${suggestion} ${hint}`, cause: error },
  );
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const MAIN_HELP = `
A checkpoint is named as cp_12, last, last~2, a commit id (at least 4 digits),
@{10 minutes ago} or @{2026-01-31 12:00}; where an agent tells of its messages,
also message:ID (after its work, before the next) or before:ID.

Examples:
  savepoint checkpoint -m "before the agent starts"
  savepoint diff
  savepoint restore last --dry-run
  savepoint restore last -- src/a.ts
  savepoint undo

Exit status: 0 done, 1 refused or failed with nothing changed, 2 wrong usage,
3 conflict, 4 pending (\`savepoint recover\` settles it); 130 when stopped by Ctrl-C.

Checkpoints are kept in $SAVEPOINT_HOME, else in the data folder of your account.
`;
