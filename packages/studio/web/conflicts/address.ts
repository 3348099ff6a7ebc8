/**
 * What the view of conflicts shows, in the fragment of its address, so that a copy of the address shows the same in another
 * browser: the operation, and what was decided. Browsers do not send a fragment to the server. A person may have
 * got it from anybody, so only what is known is taken from it.
 */
import { fieldsOf } from '../data/fields.ts';
import type { Decisions, TakeBackCall } from '../take-back/requests.ts';
import type { Picks } from './picks.ts';
import { readPicks } from './picks.ts';

export interface ConflictsAddress {
  readonly call: TakeBackCall;
  readonly more: Pick<Decisions, 'rebase' | 'validate'>;
  /** Whether the view that opened it has nothing more to show once it is done: then Restore asks where to go next. */
  readonly isDoneWithView: boolean;
  /** The key of the file that is shown; null: the first one. */
  readonly file: string | null;
  readonly picks: Picks;
}

/**
 * What says which operation it is. Everything else, such as a commit, or what happens if checks fail, a person decides on
 * the page and never by an address.
 */
const FIELDS: Readonly<Record<TakeBackCall['verb'], readonly string[]>> = {
  rollback: ['changes', 'hunks', 'lines', 'after', 'at', 'agent', 'likely'],
  restore: ['checkpoint', 'paths', 'all', 'root', 'mode', 'git', 'conversation', 'session'],
  planRollback: ['id'],
  planApply: ['id'],
  undo: [],
  redo: [],
  forkMerge: ['name'],
};

export function fragmentOf(address: ConflictsAddress): string {
  const bytes = new TextEncoder().encode(JSON.stringify(address));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @returns null if it is not a fragment of this view */
export function addressIn(fragment: string): ConflictsAddress | null {
  const found = fieldsOf(jsonIn(fragment));
  const call = callIn(found['call']);
  if (call === null) return null;
  const { rebase, validate } = fieldsOf(found['more']);
  return {
    call,
    // All checks, as the page says. A part of them would look the same.
    more: { ...(rebase === true ? { rebase } : {}), ...(Array.isArray(validate) ? { validate: [] } : {}) },
    isDoneWithView: found['isDoneWithView'] === true,
    file: typeof found['file'] === 'string' ? found['file'] : null,
    picks: readPicks(found['picks']),
  };
}

/** The server checks the fields of the input; here, only those that the page itself shows. */
function callIn(given: unknown): TakeBackCall | null {
  const { verb: name, input } = fieldsOf(given);
  const verb = (Object.keys(FIELDS) as TakeBackCall['verb'][]).find((one) => one === name);
  if (verb === undefined || !isShowable(input)) return null;
  const fields = Object.entries(input).filter(([field]) => FIELDS[verb].includes(field));
  return { verb, input: Object.fromEntries(fields) } as TakeBackCall;
}

function isShowable(input: unknown): input is object {
  if (typeof input !== 'object' || input === null) return false;
  const { checkpoint, id, name, agent, changes, hunks, lines } = fieldsOf(input);
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
  const isList = (value: unknown): boolean => value === undefined || Array.isArray(value);
  if (![checkpoint, id, name, agent].every(isText) || ![changes, hunks, lines].every(isList)) return false;
  return !Array.isArray(lines) || lines.every((line) => isName(fieldsOf(line)['path']));
}

/** As text, or as bytes if it is not text. */
function isName(path: unknown): boolean {
  const { b64 } = fieldsOf(path);
  return (
    typeof path === 'string' ||
    (typeof b64 === 'string' && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(b64))
  );
}

function jsonIn(fragment: string): unknown {
  try {
    const letters = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0))));
  } catch {
    return null;
  }
}
