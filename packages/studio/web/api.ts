/** Calls of the server. The session is kept for this tab only; no cookie is used, because cookies ignore ports. */
import type { InputOf, OutputOf, VERBS } from '@savepoint/core/frontend';
import type { ErrorAnswer, SessionAnswer, VerbAnswer, VerbName, WorkspacesAnswer } from '../server/wire.ts';

export type { InputOf, OutputOf, VERBS };

const STORED = 'savepoint-session';

export function isFailure(answer: object): answer is ErrorAnswer {
  return 'error' in answer;
}

/** Exchanges the token in the address for a session, and removes it from the address and the history. */
export async function enter(): Promise<SessionAnswer | ErrorAnswer> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return storedSession() ?? NO_SESSION;
  history.replaceState(history.state, '', location.pathname + location.search);
  const answer = await post<SessionAnswer>('/api/session', { token });
  if (!isFailure(answer)) sessionStorage.setItem(STORED, JSON.stringify(answer));
  return answer;
}

export async function loadWorkspaces(): Promise<WorkspacesAnswer | ErrorAnswer> {
  return (await fetch('/api/workspaces', { headers: authorization() })).json();
}

export async function callVerb<Name extends VerbName>(
  workspace: string,
  verb: Name,
  input: InputOf<(typeof VERBS)[Name]>,
): Promise<VerbAnswer<OutputOf<(typeof VERBS)[Name]>>> {
  return post(`/api/workspaces/${workspace}/verbs/${verb}`, input);
}

const NO_SESSION: ErrorAnswer = {
  error: {
    code: 'USAGE',
    message: 'This browser is not let in.',
    data: {},
    hint: 'Run `savepoint studio` to open the page.',
  },
};

async function post<Answer>(path: string, body: unknown): Promise<Answer | ErrorAnswer> {
  const headers = { 'Content-Type': 'application/json', ...authorization() };
  return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

function authorization(): Readonly<Record<string, string>> {
  const known = storedSession();
  return known === null ? {} : { Authorization: `Bearer ${known.session}` };
}

function storedSession(): SessionAnswer | null {
  const text = sessionStorage.getItem(STORED);
  return text === null ? null : (JSON.parse(text) as SessionAnswer);
}
