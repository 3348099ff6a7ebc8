/** Commands of scripts, as far as they can be understood without a shell. */

import { simpleCommands } from '../../content/shell-words.ts';

export interface PlainCommand {
  readonly env: Readonly<Record<string, string>>;
  /** Without quotes. The first one is the program. */
  readonly words: readonly string[];
}

/**
 * Returns a single command without anything that a shell would expand or interpret; null if it is anything else. A
 * program then gets the same arguments as from a shell.
 */
export function plainCommand(script: string): PlainCommand | null {
  const text = script.trim();
  if (text === '' || text.length > MAX_LENGTH || !PLAIN.test(text)) return null;
  const words = text.match(WORD) ?? [];
  const unquoted = words.map((word) => word.replace(QUOTED, (_, double, single) => double ?? single));
  if (unquoted[0] === 'cross-env') unquoted.shift();
  const env: Record<string, string> = {};
  for (let found = ASSIGNMENT.exec(unquoted[0] ?? ''); found !== null; found = ASSIGNMENT.exec(unquoted[0] ?? '')) {
    env[found[1]!] = found[2]!;
    unquoted.shift();
  }
  if (unquoted[0] === 'npx') unquoted.shift();
  return unquoted.length === 0 ? null : { env, words: unquoted };
}

/**
 * Returns the names of the programs that a script runs, roughly. Scripts that it runs by name are followed.
 * @param scripts the scripts of the same `package.json`
 */
export function programsOf(script: string, scripts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const programs = new Set<string>();
  const seen = new Set<string>();
  const add = (text: string): void => {
    for (const { words } of simpleCommands(text)) {
      const rest = words.filter((word) => !ASSIGNMENT.test(word) && !WRAPPERS.has(word));
      const [program, ...args] = rest;
      if (program === undefined) continue;
      const named = SCRIPT_RUNNERS.has(program) ? args.find((arg) => !arg.startsWith('-') && arg !== 'run') : undefined;
      const inner = named === undefined ? undefined : scripts.get(named);
      if (named === undefined || inner === undefined) programs.add(program.slice(program.lastIndexOf('/') + 1));
      else if (!seen.has(named)) {
        seen.add(named);
        add(inner);
      }
    }
  };
  add(script);
  return programs;
}

const MAX_LENGTH = 4096;
const PLAIN = /^(?:"[^"$`\\\n]*"|'[^'\n]*'|[\w@%+=:,./-]|[ \t])+$/;
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
const QUOTED = /"([^"]*)"|'([^']*)'/g;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
const WRAPPERS: ReadonlySet<string> = new Set(['npx', 'cross-env', 'env', 'exec', 'time']);
const SCRIPT_RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);
