/** What the word at the cursor may be, according to the table of commands. */
import type { Command } from '../command.ts';
import { COMMANDS, type CommandRow } from '../commands/table.ts';

/** A value that only the workspace or the disk knows. */
export type ValueKind = 'checkpoint' | 'copy' | 'plan' | 'session' | 'change' | 'agent' | 'installable' | 'path';

export interface Choice {
  readonly value: string;
  readonly description: string;
}

export interface Wanted {
  /** What precedes the value in the same word: `--before=`. */
  readonly prefix: string;
  /** The beginning of the value, as typed. */
  readonly typed: string;
  readonly choices: readonly Choice[];
  readonly kinds: readonly ValueKind[];
  /** The argument of -C. */
  readonly folder: string | undefined;
  readonly here: boolean;
  /** Whether a word with a leading dash would be an option. */
  readonly takesOptions: boolean;
}

/** The kind of each placeholder of the table of commands. `<id>` and `<name>` are what their option is called. */
export const PLACEHOLDERS: Readonly<Record<string, ValueKind | null>> = {
  checkpoint: 'checkpoint',
  checkpoints: 'checkpoint',
  from: 'checkpoint',
  to: 'checkpoint',
  when: 'checkpoint',
  change: 'change',
  copy: 'copy',
  plan: 'plan',
  session: 'session',
  agent: 'installable',
  file: 'path',
  path: 'path',
  paths: 'path',
  folder: 'path',
  dir: 'path',
  bundle: 'path',
  'path=file': null,
  'first,last': null,
  arguments: null,
  branch: null,
  bytes: null,
  characters: null,
  fingerprint: null,
  format: null,
  how: null,
  id: null,
  key: null,
  kind: null,
  levels: null,
  lines: 'path',
  minutes: null,
  mode: null,
  name: null,
  names: null,
  none: null,
  number: null,
  other: null,
  point: null,
  policy: null,
  port: null,
  preset: null,
  range: 'checkpoint',
  reason: null,
  result: null,
  seconds: null,
  shell: null,
  state: null,
  text: null,
  time: null,
  unit: null,
  workspace: null,
};

const NAMED: Readonly<Record<string, ValueKind>> = {
  '--session <id>': 'session',
  '--change <id>': 'change',
  '--agent <name>': 'agent',
  '--plan <id>': 'plan',
  '--revise <plan>': 'plan',
};

const GLOBAL: readonly OptionSpec[] = [
  { names: ['-C'], value: '<dir>', description: 'run as if started in this folder', choices: [], isRepeatable: false },
  ...(
    [
      ['--here', 'use exactly this folder as the workspace'],
      ['--json', 'print the result as JSON'],
      ['--help', 'show help'],
    ] as const
  ).map(([name, description]) => ({ names: [name], value: null, description, choices: [], isRepeatable: false })),
];

interface OptionSpec {
  readonly names: readonly string[];
  /** `<id>`; null if it takes none. */
  readonly value: string | null;
  readonly description: string;
  readonly choices: readonly string[];
  readonly isRepeatable: boolean;
}

/** @param words the complete words before the cursor, without the program. @param typed the rest, up to the cursor */
export async function wantedAt(words: readonly string[], typed: string): Promise<Wanted> {
  const found = commandIn(words);
  const command = found.row === null ? null : await found.row.load();
  const specs = [...(command === null ? [] : optionsOf(command)), ...GLOBAL];
  const state = parse(found.rest, specs);
  const common = { ...found.globals, prefix: '', typed, choices: [], kinds: [], takesOptions: !state.isAfterSeparator };
  if (state.awaits !== null) return { ...common, ...valuesOf(state.awaits), takesOptions: false };
  if (state.isAfterSeparator) return { ...common, kinds: ['path'] };
  const assigned = /^(--[^=]+)=(.*)$/s.exec(typed);
  if (assigned !== null) {
    const spec = specs.find(({ names }) => names.includes(assigned[1]!));
    const values = spec === undefined || spec.value === null ? { choices: [], kinds: [] } : valuesOf(spec);
    return { ...common, prefix: `${assigned[1]}=`, typed: assigned[2]!, ...values, takesOptions: false };
  }
  if (typed.startsWith('-')) return { ...common, choices: unused(specs, state.given) };
  const next = found.names.map(([value, description]) => ({ value, description }));
  if (command === null || (found.isHelp && next.length > 0)) return { ...common, choices: next };
  const operand = command.operands[state.operands] ?? command.operands.findLast(([syntax]) => syntax.includes('...'));
  const kind = operand === undefined ? null : kindOf(operand[0]);
  const subcommands = state.operands === 0 ? next : [];
  return { ...common, choices: subcommands, kinds: kind === null ? [] : [kind] };
}

interface FoundCommand {
  readonly row: CommandRow | null;
  /** What may be the next word of the name of a command. */
  readonly names: readonly (readonly [name: string, description: string])[];
  readonly rest: readonly string[];
  readonly isHelp: boolean;
  readonly globals: { readonly folder: string | undefined; readonly here: boolean };
}

function commandIn(words: readonly string[]): FoundCommand {
  const rest: string[] = [];
  let folder: string | undefined;
  let here = false;
  const named: string[] = [];
  let isHelp = false;
  let row: CommandRow | null = null;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (row === null && named.length === 0 && word === '-C' && at + 1 < words.length) {
      folder = words[++at];
      continue;
    }
    if (word === '--here') here = true;
    if (word === 'help' && named.length === 0) {
      isHelp = true;
      continue;
    }
    const longer = [...named, word].join(' ');
    const isName = rest.length === 0 && nextNames(named).some(([name]) => name === word);
    if (isName || (named.length === 0 && !word.startsWith('-') && rowNamed(word) !== null)) {
      named.push(word);
      row = rowNamed(longer) ?? row;
    } else rest.push(word);
  }
  const names = rest.some((word) => !word.startsWith('-')) ? [] : nextNames(named);
  return { row: isHelp ? null : row, names, rest, isHelp, globals: { folder, here } };
}

function rowNamed(name: string): CommandRow | null {
  return COMMANDS.find((row) => !row.isHidden && (row.name === name || row.aliases?.includes(name))) ?? null;
}

/** Words that continue the name of a command, each with its description. */
function nextNames(named: readonly string[]): readonly (readonly [name: string, description: string])[] {
  const found = new Map<string, string>();
  for (const { name, summary, isHidden } of COMMANDS) {
    const words = name.split(' ');
    const next = words[named.length];
    if (isHidden || next === undefined || words.slice(0, named.length).join(' ') !== named.join(' ')) continue;
    if (!found.has(next)) found.set(next, summary);
  }
  if (named.length === 0) found.set('help', 'show help for a command');
  return [...found];
}

interface ParseState {
  readonly operands: number;
  /** The option whose value comes next. */
  readonly awaits: OptionSpec | null;
  readonly isAfterSeparator: boolean;
  readonly given: ReadonlySet<string>;
}

function parse(words: readonly string[], specs: readonly OptionSpec[]): ParseState {
  let operands = 0;
  let awaits: OptionSpec | null = null;
  const given = new Set<string>();
  for (const word of words) {
    if (awaits !== null) {
      awaits = null;
      continue;
    }
    if (word === '--') return { operands, awaits: null, isAfterSeparator: true, given };
    if (!word.startsWith('-')) operands += 1;
    else {
      const spec = specs.find(({ names }) => names.includes(word.replace(/=.*$/s, '')));
      for (const name of spec?.names ?? []) given.add(name);
      if (spec !== undefined && spec.value !== null && !word.includes('=')) awaits = spec;
    }
  }
  return { operands, awaits, isAfterSeparator: false, given };
}

function optionsOf(command: Command): readonly OptionSpec[] {
  return command.options.map(({ flags, description, choices = [], isRepeatable = false }) => {
    const names = flags.match(/(?<=^|[ ,])--?[\w-]+/g) ?? [];
    return { names, value: /[<[].*$/.exec(flags)?.[0] ?? null, description, choices, isRepeatable };
  });
}

function unused(specs: readonly OptionSpec[], given: ReadonlySet<string>): readonly Choice[] {
  return specs.flatMap(({ names, description, isRepeatable }) =>
    isRepeatable || !names.some((name) => given.has(name)) ? [{ value: names.at(-1)!, description }] : [],
  );
}

function valuesOf({ names, value, choices }: OptionSpec): Pick<Wanted, 'choices' | 'kinds'> {
  const kind = NAMED[`${names.at(-1)} ${value}`] ?? kindOf(value ?? '');
  return { choices: choices.map((choice) => ({ value: choice, description: '' })), kinds: kind === null ? [] : [kind] };
}

function kindOf(syntax: string): ValueKind | null {
  return PLACEHOLDERS[syntax.replace(/^[<[]|[\]>]$/g, '').replace(/\.\.\.$/, '')] ?? null;
}
