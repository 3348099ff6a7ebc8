/** Rules for ref names: those of git (`git check-ref-format`), limited to `refs/`. One character per byte. */

import { SavepointError } from '../../model/errors.ts';
import { isObjectId } from '../../model/ids.ts';

const MAX_NAME_BYTES = 1024;
const MAX_COMPONENT_BYTES = 200;
/** Control characters, space, and characters of git's revision and pattern syntax. */
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|[^\0-\xff]/;

export function isRefName(name: string): boolean {
  if (!name.startsWith('refs/') || name.length > MAX_NAME_BYTES || FORBIDDEN.test(name) || name.endsWith('.')) {
    return false;
  }
  return name.split('/').every(isComponent);
}

/** @throws SavepointError INTERNAL if it is not the name of a ref */
export function assertRefName(name: string): void {
  if (!isRefName(name)) throw refusedName(name);
}

/** @throws SavepointError INTERNAL if a ref cannot point to it */
export function assertTarget(id: string): void {
  if (!isObjectId(id)) throw refused(`not an object id: ${JSON.stringify(id)}`);
}

/** @param name or the beginning of names */
export function refusedName(name: string): SavepointError {
  return refused(`not a ref's name: ${JSON.stringify(name)}`);
}

function refused(message: string): SavepointError {
  return new SavepointError('INTERNAL', message, { message });
}

function isComponent(text: string): boolean {
  return text !== '' && text.length <= MAX_COMPONENT_BYTES && !text.startsWith('.') && !text.endsWith('.lock');
}
