/**
 * What every request must look like, decided from its head alone, before any of it is used. A page of another site, of
 * another port or of a name that leads to this machine gets nothing. See docs/studio.md.
 */

export interface RequestHead {
  readonly method: string;
  /** As the client sent it. */
  readonly target: string;
  /** Names and values in turn, as the client sent them. Node merges or drops duplicates elsewhere. */
  readonly rawHeaders: readonly string[];
}

export interface Refusal {
  readonly status: 400 | 403 | 405 | 415;
  readonly message: string;
}

/** These headers decide. If a client sends one of them twice, programs differ in which of the two they use. */
const AT_MOST_ONCE = [
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'last-event-id',
  'range',
];

const JSON_TYPE = 'application/json';

/** @returns null if the request may be handled. The reason never depends on a token. */
export function refusalOf({ method, target, rawHeaders }: RequestHead, port: number): Refusal | null {
  const headers = headersOf(rawHeaders);
  const twice = AT_MOST_ONCE.find((name) => (headers.get(name)?.length ?? 0) > 1);
  if (twice !== undefined) return { status: 400, message: `The header ${twice} was sent twice.` };
  const only = (name: string): string | undefined => headers.get(name)?.[0];

  if (!target.startsWith('/') || target.startsWith('//') || target.includes('\\'))
    return { status: 400, message: 'The target of a request must be a path.' };
  const host = only('host');
  if (host === undefined) return { status: 400, message: 'The header Host is missing.' };
  if (host !== hostOf(port)) return { status: 403, message: `This server is only known as ${hostOf(port)}.` };
  const origin = only('origin');
  if (origin !== undefined && origin !== originOf(port))
    return { status: 403, message: 'Only the page of this server may call it.' };
  if (method !== 'GET' && method !== 'POST') return { status: 405, message: 'Only GET and POST are known here.' };
  const isPage = method === 'GET' && !isCall(target);
  if (!isFromHere(only, method, isPage)) return { status: 403, message: 'Only the page of this server may call it.' };
  if (method === 'GET') {
    const hasBody = headers.has('transfer-encoding') || !['0', undefined].includes(only('content-length'));
    return hasBody ? { status: 400, message: 'A GET request has no body here.' } : null;
  }
  if (origin === undefined) return { status: 403, message: 'A POST request needs the header Origin.' };
  if (only('content-type') !== JSON_TYPE)
    return { status: 415, message: `The content type of a request must be exactly ${JSON_TYPE}.` };
  return null;
}

export function originOf(port: number): string {
  return `http://${hostOf(port)}`;
}

/** Whether the target is not the page itself: it belongs to the interface for the page, or could be written to look otherwise. */
function isCall(target: string): boolean {
  return /^\/(?:api(?:[/?#]|$)|[^/?#]*%)/.test(target);
}

/**
 * Browsers say where a request comes from. Any site and the private file may lead a person to the page, which has no
 * secrets and cannot be framed. Only our own page may load the rest.
 */
function isFromHere(only: (name: string) => string | undefined, method: string, isPage: boolean): boolean {
  const site = only('sec-fetch-site');
  if (site === undefined || site === 'same-origin') return true;
  if (site === 'none') return method === 'GET';
  return isPage && only('sec-fetch-mode') === 'navigate' && only('sec-fetch-dest') === 'document';
}

function hostOf(port: number): string {
  return `127.0.0.1:${port}`;
}

function headersOf(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const values = found.get(name);
    if (values === undefined) found.set(name, [raw[at + 1]!]);
    else values.push(raw[at + 1]!);
  }
  return found;
}
