/** Builds the commander program from the table of commands. */
import { SavepointError } from '@savepoint/core';
import { Command as Commander, CommanderError, Option } from 'commander';
import type { CliOptionSpec, Command, GlobalOptions, ParsedArguments, ParsedCommandLine } from './command.ts';
import { COMMANDS, type CommandRow, GROUPS, SECTIONS } from './commands/table.ts';
import { ownVersion } from './own-version.ts';

type Configure = (command: Commander) => Commander;

/** @throws SavepointError USAGE */
export async function parseArguments(args: readonly string[]): Promise<ParsedCommandLine> {
  let text = '';
  let parsed: ParsedCommandLine | null = null;
  const configure: Configure = (command) =>
    command
      .exitOverride()
      .configureOutput({
        writeOut: (part) => {
          text += part;
        },
        writeErr: () => undefined,
      })
      .configureHelp({ subcommandTerm: (sub) => sub.name() })
      .helpOption('-h, --help', 'show this help')
      .showSuggestionAfterError(true);
  const program = createProgram(configure);
  const loaded = await commandsIn(args);
  const { head: given, rest } = splitArguments(args, loaded);
  const head = withSecondWord(given);
  for (const row of COMMANDS) {
    const parent = parentOf(program, row, configure);
    const built = configure(parent.command(lastWord(row), { hidden: row.isHidden })).summary(row.summary);
    built.aliases(row.aliases ?? []);
    if (parent === program) built.helpGroup(SECTIONS[row.section]);
    const command = loaded.get(row);
    if (command === undefined) continue;
    describe(built, row, command);
    built.action(() => {
      // Commander gives `guard` the options of `guard on` that it has as well.
      const shared = parent === program ? {} : parent.opts<ParsedArguments['options']>();
      const options = { ...shared, ...built.opts<ParsedArguments['options']>() };
      const given = { operands: built.args, rest, options };
      parsed = { kind: 'command', command, given, globals: globalsOf(program) };
    });
  }
  try {
    program.parse([...head], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const lacksCommand = error.code === 'commander.help' && program.args.length === 0;
    if (error.exitCode !== 0 && !lacksCommand) throw usageError(error, args, excessHint(error, args, loaded));
    if (lacksCommand) return { kind: 'none', globals: globalsOf(program), text: program.helpInformation() + MAIN_HELP };
  }
  return parsed ?? { kind: 'text', text };
}

/** Returns whether a possibly invalid command line asks for JSON, so that its error is JSON as well. */
export function wantsJson(args: readonly string[]): boolean {
  const separator = args.indexOf('--');
  return (separator < 0 ? args : args.slice(0, separator)).includes('--json');
}

/** Says which help is about an invalid command line. */
export function helpHint(args: readonly string[]): string {
  const words = wordsIn(args);
  const named = words[0] === 'help' ? undefined : rowNamedIn(args);
  if (named === undefined) return 'Run `savepoint help` for the list of commands and options.';
  const [first = '', second] = named.name.split(' ');
  // Of a group, such as `plan`, its second word may be missing or unknown.
  return second === undefined || words[1] === second
    ? `Run \`savepoint ${named.name} --help\` for its arguments and options.`
    : `Run \`savepoint ${first} --help\` for its commands.`;
}

function globalsOf(program: Commander): GlobalOptions {
  const { C: folder, here, json } = program.opts<{ C?: string; here?: boolean; json?: boolean }>();
  return { folder, here: here === true, json: json === true };
}

/** Commander's `help` shows only commands of one word, so `help bundle create` becomes `bundle create --help`. */
function withSecondWord(args: readonly string[]): readonly string[] {
  const at = args.findIndex((word, index) => !word.startsWith('-') && args[index - 1] !== '-C');
  const [help, first, second] = args.slice(at);
  const isKnown = help === 'help' && COMMANDS.some(({ name }) => name === `${first} ${second}`);
  return isKnown ? [...args.slice(0, at), first!, second!, '--help'] : args;
}

/** Returns the program with its global options, and without commands. */
function createProgram(configure: Configure): Commander {
  const help = new Commander('help').argument('[command]').summary('show help for a command');
  return configure(new Commander('savepoint'))
    .description('Checkpoints and rollback for AI coding agents, for the entire workspace.')
    .usage('[options] <command>')
    .option('-C <dir>', 'run as if started in this folder')
    .option('--here', 'use exactly this folder as the workspace, even inside another one')
    .option('--json', 'print the result as JSON; errors are JSON on standard error')
    .version(ownVersion(), '-V, --version', 'print the version')
    .addHelpCommand(help.helpOption(false).helpGroup(SECTIONS.store))
    .addHelpText('after', MAIN_HELP);
}

/**
 * Returns the commands that these arguments may mean. A command can run only if all words of its name are among them,
 * so the others are not loaded. The help needs all commands.
 */
async function commandsIn(args: readonly string[]): Promise<ReadonlyMap<CommandRow, Command>> {
  const words = new Set(args);
  const named = COMMANDS.filter(({ name, aliases = [] }) =>
    [name, ...aliases].some((one) => one.split(' ').every((word) => words.has(word))),
  );
  const isHelp = named.length === 0 || ['help', '--help', '-h'].some((word) => words.has(word));
  const rows = isHelp ? COMMANDS : named;
  return new Map(await Promise.all(rows.map(async (row) => [row, await row.load()] as const)));
}

/**
 * Splits the arguments at `--` if paths or a command may follow it. Commander itself does not say where `--` was.
 */
function splitArguments(
  args: readonly string[],
  loaded: ReadonlyMap<CommandRow, Command>,
): { readonly head: readonly string[]; readonly rest: readonly string[] } {
  const separator = args.indexOf('--');
  if (separator < 0) return { head: args, rest: [] };
  const head = args.slice(0, separator);
  const words = wordsIn(args);
  const typed = [words[0] ?? '', words.slice(0, 2).join(' ')];
  const takesRest = [...loaded].some(
    ([{ name, aliases = [] }, command]) =>
      [name, ...aliases].some((one) => typed.includes(one)) && restOf(command) !== null,
  );
  return takesRest ? { head, rest: args.slice(separator + 1) } : { head: args, rest: [] };
}

/** Returns what may follow `--`; null: nothing. */
function restOf(command: Command): 'paths' | 'command' | null {
  if ('verb' in command && command.takesCommand !== true) return command.takesPaths ? 'paths' : null;
  return command.takesCommand ? 'command' : null;
}

function describe(built: Commander, { summary }: CommandRow, command: Command): void {
  built.description('verb' in command ? command.verb.description : (command.description ?? summary));
  for (const [syntax, description] of command.operands) built.argument(syntax, description);
  for (const option of command.options) built.addOption(optionOf(option));
  if ('verb' in command && command.takesPaths !== false) {
    const paths = command.takesPaths === 'one' ? '[-- path]' : '[-- paths...]';
    built.usage(['[options]', ...command.operands.map(([syntax]) => syntax), paths].join(' '));
  }
  if ('verb' in command && command.takesCommand === true) {
    built.usage(['[options]', ...command.operands.map(([syntax]) => syntax), '[-- command...]'].join(' '));
  }
  if (!('verb' in command) && command.usage !== undefined) built.usage(command.usage);
  built.addHelpText('after', `\nExamples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`);
}

function optionOf({ flags, description, choices, conflicts, isRepeatable }: CliOptionSpec): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (isRepeatable === true) option.argParser((value, before: readonly string[] = []) => [...before, value]);
  if (conflicts !== undefined) option.conflicts([conflicts].flat());
  return option;
}

/**
 * Returns the parent of a two-word command. If the first word is not a command itself, the parent is created from
 * `GROUPS`.
 */
function parentOf(program: Commander, row: CommandRow, configure: Configure): Commander {
  const [first = '', second] = row.name.split(' ');
  if (second === undefined) return program;
  const found = program.commands.find((command) => command.name() === first);
  if (found !== undefined) return found;
  const group = GROUPS[first];
  if (group !== undefined) {
    return configure(program.command(first))
      .summary(group.summary)
      .description(group.description)
      .helpCommand('help [command]', 'show help for a command')
      .helpGroup(SECTIONS[row.section]);
  }
  throw new Error(`The command ${row.name} has no parent.`);
}

function lastWord({ name }: CommandRow): string {
  return name.split(' ').at(-1) ?? name;
}

/** @returns what the last argument was probably meant to be; null if it is not known */
function excessHint(
  { code }: CommanderError,
  args: readonly string[],
  loaded: ReadonlyMap<CommandRow, Command>,
): string | null {
  if (code !== 'commander.excessArguments') return null;
  const found = rowNamedIn(args);
  const command = found === undefined ? undefined : loaded.get(found);
  const last = args.filter((word) => !word.startsWith('-')).at(-1);
  if (command?.excessExample === undefined || last === undefined) return null;
  return `Did you mean \`${command.excessExample(last)}\`?`;
}

function usageError(error: CommanderError, args: readonly string[], meant: string | null): SavepointError {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = rest
    .join(' ')
    .trim()
    .replace(/^\(|\)$/g, '');
  const isHelp = error.code === 'commander.help';
  const group = args.find((word) => GROUPS[word] !== undefined);
  const unnamed =
    args.includes('help') || group === undefined
      ? 'Unknown command.'
      : `\`savepoint ${group}\` needs a command: ${wordsAfter(group).join(', ')}.`;
  const message = isHelp ? unnamed : capitalised(first);
  const parts = [meant, startingWith(error) ?? suggestion, helpHint(args)];
  return new SavepointError(
    'USAGE',
    /[.?!]$/.test(message) ? message : `${message}.`,
    {},
    { hint: parts.filter((part) => part !== null && part !== '').join(' '), cause: error },
  );
}

/** The command that the first two words name, or else the first; of a group, any of its commands. */
function rowNamedIn(args: readonly string[]): CommandRow | undefined {
  const [word = '', next = ''] = wordsIn(args);
  const both = `${word} ${next}`;
  const rows = COMMANDS.filter(({ isHidden }) => !isHidden);
  return (
    rows.find(({ name, aliases = [] }) => name === both || aliases.includes(both)) ??
    rows.find(({ name, aliases = [] }) => name === word || aliases.includes(word)) ??
    rows.find(({ name }) => name.split(' ')[0] === word)
  );
}

/** What is neither an option nor the folder of `-C`, up to `--`. */
function wordsIn(args: readonly string[]): readonly string[] {
  const separator = args.indexOf('--');
  const head = separator < 0 ? args : args.slice(0, separator);
  return head.filter((word, index) => !word.startsWith('-') && head[index - 1] !== '-C');
}

function wordsAfter(group: string): readonly string[] {
  return COMMANDS.flatMap(({ name, isHidden }) => {
    const [first, second] = name.split(' ');
    return first === group && second !== undefined && !isHidden ? [second] : [];
  });
}

/** The beginning of a command is nearer to it than to a short command with few other letters. */
function startingWith({ code, message }: CommanderError): string | null {
  const typed = code === 'commander.unknownCommand' ? /'(\w{2,})'/.exec(message)?.[1] : undefined;
  if (typed === undefined) return null;
  const found = COMMANDS.find(({ name, isHidden }) => !isHidden && name.startsWith(typed))?.name ?? MEANT.get(typed);
  return found === undefined ? null : `Did you mean ${found}?`;
}

/** The commands that do what other words ask for. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['approve', 'plan review'],
  ['accept', 'plan review'],
  ['reject', 'plan review'],
]);

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const MAIN_HELP = `
Run \`savepoint help <command>\` for details and examples.

Refer to a checkpoint as cp_12, last, last~2 (two before the last), @prompt
(before the work on the last prompt to an agent), @prompt~2 (before the second
last), @session (the start of the last session), a commit id (at least 4
digits), @{10 minutes ago} or @{2026-01-31 12:00}. With the id of a message in
an agent's conversation: message:ID (after the work on it) or before:ID.

Examples:
  savepoint checkpoint -m "before the agent starts"
  savepoint diff
  savepoint restore @prompt --dry-run
  savepoint restore last -- src/a.ts
  savepoint undo

Exit status: 0 success, 1 refused or failed (nothing changed), 2 usage error,
3 conflict, 4 interrupted operation pending (run \`savepoint recover\`), 5 done
in part (the output lists the rest), 130 cancelled with Ctrl-C.

Checkpoints are stored in $SAVEPOINT_HOME (default: your account's data folder).
`;
