/**
 * `savepoint __complete`: run by the completion scripts of shells at each tab. Prints what the word at the cursor may be,
 * and nothing if it does not know. Errors are not shown, because the user is typing.
 */
import type { Environment } from '../command.ts';
import { writeAll } from '../write.ts';
import { quoteForBash, readBashLine } from './bash-words.ts';
import { valuesOf } from './values.ts';
import { type Choice, type Wanted, wantedAt } from './wanted.ts';

/**
 * @param args `zsh` or `fish`, the words from after the program up to the cursor; or `bash`, the line up to the cursor,
 *   COMP_WORDBREAKS and COMP_TYPE
 */
export async function complete(args: readonly string[], env: Environment): Promise<void> {
  const [shell, ...given] = args;
  try {
    const found = shell === 'bash' ? await inBash(given, env) : await inOthers(given, env);
    // A value may have a line feed in it, but no NUL.
    writeAll(1, found.map((field) => `${field}\0`).join(''));
  } catch {
    // Nothing to offer.
  }
}

/** Value and description of each choice. */
async function inOthers(given: readonly string[], env: Environment): Promise<readonly string[]> {
  const choices = await choicesAt(await wantedAt(given.slice(0, -1), given.at(-1) ?? ''), env);
  return choices.flatMap(({ value, description }) => [value, description]);
}

/** Bash lists several choices with these values of COMP_TYPE, and inserts no more than what they begin with. */
const LISTS: ReadonlySet<string | undefined> = new Set(['33', '63']);

/** Words as bash inserts them, or a list to read. */
async function inBash([line = '', breaks = '', type]: readonly string[], env: Environment): Promise<readonly string[]> {
  const { words, typed, kept, quote } = readBashLine(line, breaks);
  const choices = await choicesAt(await wantedAt(words, typed), env);
  const isList = LISTS.has(type) && choices.length > 1;
  return choices.flatMap(({ value, description }) => {
    if (!value.startsWith(kept)) return [];
    const quoted = quoteForBash(value.slice(kept.length), quote);
    if (isList) return [description === '' ? quoted : `${quoted}  (${description})`];
    // Bash closes an open quote itself.
    return [quote === '' && !/[/=]$/.test(value) ? `${quoted} ` : quoted];
  });
}

/** Complete words that begin as typed. */
async function choicesAt(wanted: Wanted, env: Environment): Promise<readonly Choice[]> {
  const { prefix, typed, choices, kinds } = wanted;
  const found = [...choices];
  for (const kind of kinds) {
    try {
      found.push(...(await valuesOf(kind, wanted, env)));
    } catch {
      // Without a store, options and names of commands are still offered.
    }
  }
  return found
    .filter(({ value }) => value.startsWith(typed) && !value.includes('\0'))
    .map(({ value, description }) => ({ value: `${prefix}${value}`, description }));
}
