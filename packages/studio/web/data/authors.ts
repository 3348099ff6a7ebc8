/** Authors as the page shows them: a colour and a letter in a shape, never a colour alone. */
import type { Output } from '../api/call.ts';

export type Actor = Output<'turns'>['turns'][number]['actor'];
export type Change = Output<'history'>['changes'][number];
export type Grade = Change['grade'];
export type Evidence = Change['evidence'];

/** The number of a colour in styles/tokens.css. A person is ink, and what is outside of Savepoint is grey. */
export type Hue = 'person' | 'outside' | '1' | '2' | '3' | '4' | '5' | '6';

const KNOWN: Readonly<Record<string, Hue>> = {
  claude: '1',
  codex: '2',
  gemini: '3',
  copilot: '4',
  opencode: '5',
  cursor: '6',
  cline: '4',
};

export function hueOf({ kind, name }: Actor): Hue {
  if (kind === 'user') return 'person';
  if (kind === 'outside') return 'outside';
  const known = KNOWN[name];
  if (known !== undefined) return known;
  const sum = [...name].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 6_007, 7);
  return String((sum % 6) + 1) as Hue;
}

export function actorName({ kind, name, id }: Actor): string {
  if (kind === 'user') return 'you';
  if (kind === 'outside') return 'outside';
  return id === null ? name : `${name}/${id}`;
}

/** Two letters, because several agents begin with the same one. */
export function actorLetters({ kind, name }: Actor): string {
  if (kind === 'user') return 'Me';
  if (kind === 'outside') return '?';
  const [first = '?', second = ''] = [...(LETTERS[name] ?? name)];
  return `${first.toUpperCase()}${second}`;
}

const LETTERS: Readonly<Record<string, string>> = { codex: 'Cx', copilot: 'Cp', cursor: 'Cu', cline: 'Cn' };

export const GRADES: Readonly<Record<Grade, string>> = {
  sure: 'sure',
  likely: 'likely: only this author was active',
  open: 'open: more than one may have written it',
};

export const EVIDENCE: Readonly<Record<NonNullable<Evidence>, string>> = {
  operation: 'an operation of Savepoint made it',
  content: 'the file has exactly the content that a tool reported',
  declared: 'a file tool named the path before it ran',
  named: 'an open call may write anywhere, and its command names the path',
  call: 'an open call may write anywhere',
  'unclear-call': 'a call may have been open; when it ran is not known',
  beyond: 'a call was open, but its tool did not report this change',
  'left-behind': 'a process that an ended call had started lived on',
  'no-call': 'no call of any agent was open',
  rewind: 'the workspace returned to an earlier state of the session',
};
