/** The message of a commit of a plan, in the style of the repository's recent subjects. */

import type { TreePath } from '../model/names.ts';

const MAX_SUBJECT = 500;
const CONVENTIONAL = /^([a-z]+)(?:\([^()]*\))?!?: ./;
const TYPES = new Set('feat fix docs style refactor perf test build ci chore'.split(' '));
const TRAILER = /^(?:[A-Za-z0-9-]+[ \t]*:|\(cherry picked from commit)/;
/** Controls of terminals. */
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** What is invisible or changes the direction of text. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;
const AREA = /^([\w./-]+): ./;

/**
 * @param intent of the plan; its first line becomes the subject
 * @param recent subjects, the newest first
 * @param paths that are committed
 */
export function messageInStyle(intent: string, recent: readonly string[], paths: readonly TreePath[]): string {
  const [first = '', ...rest] = cleaned(intent).split('\n');
  const subject = subjectInStyle(first.trim().slice(0, MAX_SUBJECT), recent, paths);
  // The words of an agent must not be taken for what git and its hosts read from trailers, such as a signature.
  const body = rest
    .map((line) => (TRAILER.test(line) ? `  ${line}` : line))
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd();
  return `${subject}${body === '' ? '' : `\n\n${body}`}\n`;
}

/** A message that a person gave, as it is, except for control characters. */
export function givenMessage(text: string): string {
  return `${cleaned(text).trim()}\n`;
}

function subjectInStyle(subject: string, recent: readonly string[], paths: readonly TreePath[]): string {
  // Words that have a prefix already are left alone.
  if (AREA.test(subject)) return subject;
  const types = recent.flatMap((one) => CONVENTIONAL.exec(one)?.[1] ?? []).filter((type) => TYPES.has(type));
  const areas = recent.filter((one) => AREA.test(one));
  const bare = recent.map((one) => one.replace(AREA, (found) => found.slice(-1)));
  const upper = bare.filter((one) => /^\p{Lu}/u.test(one)).length;
  const lower = bare.filter((one) => /^\p{Ll}/u.test(one)).length;
  const withoutDot = recent.length > 0 && isMost(recent.filter((one) => !one.endsWith('.')).length, recent);
  const text = withCase(withoutDot ? subject.replace(/\.$/, '') : subject, upper, lower);
  // The intent does not say what kind of change it is. `chore` claims least, and tools that read types release nothing for it.
  if (types.length > 0 && types.length === recent.length) return `chore: ${text}`;
  if (isMost(types.length, recent)) return text;
  const area = isMost(areas.length, recent) ? areaOf(paths) : null;
  // A name that none of them has is not one of the project's.
  return area !== null && areas.some((one) => one.startsWith(`${area}: `)) ? `${area}: ${text}` : text;
}

function isMost(count: number, of: readonly unknown[]): boolean {
  return count > 0 && count * 2 > of.length;
}

function withCase(text: string, upper: number, lower: number): string {
  const [first = '', second = ''] = text;
  if (upper > lower) return first.toUpperCase() + text.slice(first.length);
  // A name or an abbreviation keeps its letters.
  return lower > upper && !/\p{Lu}/u.test(second) ? first.toLowerCase() + text.slice(first.length) : text;
}

/** The last folder that all paths have in common. */
function areaOf(paths: readonly TreePath[]): string | null {
  const [first, ...others] = paths.map((path) => path.split('/').slice(0, -1));
  if (first === undefined) return null;
  let length = first.length;
  for (const other of others)
    while (length > 0 && first.slice(0, length).join('/') !== other.slice(0, length).join('/')) length--;
  const name = first[length - 1];
  return name !== undefined && /^[\w.-]+$/.test(name) ? name : null;
}

function cleaned(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE, '').replace(CONTROLS, ' ');
}
