/** Formats errors: what failed, where, and what to do. */
import { type JsonName, nameFromJson, SavepointError, showName, showText } from '@savepoint/core';
import { showContent } from '@savepoint/core/frontend';
import { safeJson } from '@savepoint/core/ports';
import { reasonLines } from './show/reasons.ts';
import type { Style } from './view.ts';
import { OutputError } from './write.ts';

const LISTED_PATHS = 50;

/** Converts anything thrown to a `SavepointError`. An internal error shows its message, but no stack. */
export function asFailure(error: unknown): SavepointError {
  if (error instanceof SavepointError) return error;
  if (error instanceof OutputError) {
    return new SavepointError(
      'IO',
      error.message,
      { operation: 'write', code: error.code },
      { hint: 'The command itself succeeded; see `savepoint status`.', cause: error },
    );
  }
  const message = error instanceof Error ? error.message : String(error);
  return new SavepointError('INTERNAL', `Internal error: ${message}`, { message }, { cause: error });
}

export function failureAsJson(failure: SavepointError): string {
  return `${safeJson({ error: failure.toJSON() }, 0)}\n`;
}

export function failureAsText(failure: SavepointError, style: Style): string {
  const { message, hint, data } = failure;
  const [first = '', ...more] = truncateMessage(message).split('\n');
  const lines = [`${style.bad('error:')} ${showText(first)}`, ...more.map((line) => `  ${showText(line)}`)];
  const all: readonly unknown[] = 'paths' in data && Array.isArray(data.paths) ? data.paths : [];
  const paths = all.length === 1 && isInMessage(all[0], message) ? [] : all;
  lines.push(...listedLines(paths.slice(0, LISTED_PATHS).filter(isListedPath)));
  if (paths.length > LISTED_PATHS) lines.push(`  … and ${paths.length - LISTED_PATHS} more (all with --json)`);
  if (paths.length === 0) lines.push(...locationLines(failure));
  lines.push(...hint.split('\n').map((line) => `  ${showText(line)}`));
  return `${lines.join('\n')}\n`;
}

const MAX_MESSAGE_LENGTH = 2000;

/** The fields of one path, in errors that list paths. */
interface ListedPath {
  readonly path: JsonName;
  readonly why?: string;
  readonly state?: string;
  readonly backup?: JsonName;
  readonly text?: JsonName | null;
}

export function showJsonName(name: JsonName): string {
  return showName(nameFromJson(name));
}

function truncateMessage(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}

function isListedPath(listed: unknown): listed is ListedPath {
  return typeof listed === 'object' && listed !== null && 'path' in listed;
}

/** A single path is not listed again if the message already says all of it. */
function isInMessage(listed: unknown, message: string): boolean {
  if (!isListedPath(listed)) return true;
  const { path, why = '', text } = listed;
  return message.includes(showJsonName(path)) && message.includes(why) && text == null;
}

function listedLines(listed: readonly ListedPath[]): readonly string[] {
  const hasMore = listed.some(({ why, backup, text }) => why === undefined || backup !== undefined || text != null);
  if (hasMore) return listed.flatMap(pathLines);
  const reasons = listed.map(({ path, why = '' }) => ({ path: showJsonName(path), reason: showText(why) }));
  return reasonLines(reasons, ({ path, reason }) => `${path}: ${reason}`).map((line) => `  ${line}`);
}

function pathLines({ path, why, state, backup, text }: ListedPath): string[] {
  const more = [why ?? state ?? '', backup === undefined ? '' : `backup in ${showJsonName(backup)}`];
  const sides = text == null ? [] : showContent(nameFromJson(text)).replace(/\n$/, '').split('\n');
  return [
    `  ${showJsonName(path)}: ${showText(more.filter((part) => part !== '').join('; '))}`,
    ...sides.map((line) => `    ${line}`),
  ];
}

/** Shows the path of the error, if the message does not name it. */
function locationLines({ data, message }: SavepointError): string[] {
  const place = 'path' in data ? data.path : 'folder' in data ? data.folder : undefined;
  if (place === undefined || place === '') return [];
  const shown = showJsonName(place);
  return message.includes(shown) ? [] : [`  ${shown}`];
}
