/**
 * The session of this browser. It is kept for each tab, and given to other tabs of the same origin. No cookie is used,
 * because cookies ignore ports.
 */
import type { ErrorAnswer, ProofAnswer, SessionAnswer } from '../../server/wire.ts';

const STORED = 'savepoint-session';
const CHANNEL = 'savepoint-studio';
const OTHER_TABS_MS = 250;

/** Why the page cannot be shown. */
export interface NotLetIn {
  readonly message: string;
  readonly hint: string;
}

/** Exchanges the token of the address for a session, and removes it from the address and the history. */
export async function enter(): Promise<NotLetIn | null> {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) {
    if (storedSession() === null) keep(await askOtherTabs());
    if (storedSession() === null) return NOT_LET_IN;
    answerOtherTabs();
    return null;
  }
  history.replaceState(history.state, '', location.pathname + location.search);
  const answer = await postJson<SessionAnswer>('/api/session', { token });
  if ('error' in answer) return storedSession() === null ? answer.error : null;
  keep(answer);
  answerOtherTabs();
  return null;
}

export function authorization(): Readonly<Record<string, string>> {
  const known = storedSession();
  return known === null ? {} : { Authorization: `Bearer ${known.session}` };
}

/**
 * Whether the server knows our session. Asked before the session is sent to a server that was away, because another
 * program may listen on its port now.
 */
export async function isOurServer(): Promise<boolean> {
  const known = storedSession();
  if (known === null) return false;
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const answer = await postJson<ProofAnswer>('/api/proof', { id: known.id, nonce });
  if ('error' in answer) return false;
  const text = new TextEncoder();
  const digest = await crypto.subtle.digest('SHA-256', text.encode(known.session));
  const key = await crypto.subtle.importKey('raw', digest, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const expected = await crypto.subtle.sign('HMAC', key, text.encode(nonce));
  return answer.proof === base64url(new Uint8Array(expected));
}

const NOT_LET_IN: NotLetIn = {
  message: 'This browser is not let in.',
  hint: 'Run `savepoint studio` in a terminal. It opens this page with an address that lets one browser in.',
};

function keep(session: SessionAnswer | null): void {
  if (session !== null) sessionStorage.setItem(STORED, JSON.stringify(session));
}

function storedSession(): SessionAnswer | null {
  const text = sessionStorage.getItem(STORED);
  return text === null ? null : (JSON.parse(text) as SessionAnswer);
}

function askOtherTabs(): Promise<SessionAnswer | null> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise((resolve) => {
    const end = (session: SessionAnswer | null): void => {
      channel.close();
      resolve(session);
    };
    const timer = setTimeout(() => end(null), OTHER_TABS_MS);
    channel.onmessage = ({ data }: MessageEvent<{ readonly session?: SessionAnswer }>) => {
      if (data.session === undefined) return;
      clearTimeout(timer);
      end(data.session);
    };
    channel.postMessage({ isAsking: true });
  });
}

function answerOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<{ readonly isAsking?: boolean }>) => {
    const session = storedSession();
    if (data.isAsking === true && session !== null) channel.postMessage({ session });
  };
}

async function postJson<Answer>(path: string, body: unknown): Promise<Answer | ErrorAnswer> {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
