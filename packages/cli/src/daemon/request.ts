/** The request of a hook's script: environment variables, each terminated by a zero byte, followed by the event. */

export interface HookRequest {
  readonly env: Readonly<Record<string, string>>;
  readonly event: Buffer;
}

/** Maximum total size of all variables, in bytes. */
const MAX_ENVIRONMENT_BYTES = 1 << 20;

/** @param known the variables that may be sent @returns null if the request is invalid */
export function parseHookRequest(body: Buffer, known: ReadonlySet<string>): HookRequest | null {
  // Neither JSON nor a shell variable can contain a zero byte.
  const end = body.lastIndexOf(0);
  if (end > MAX_ENVIRONMENT_BYTES) return null;
  const env: Record<string, string> = {};
  const texts = end < 0 ? [] : body.toString('utf8', 0, end).split('\0');
  for (const text of texts) {
    const cut = text.indexOf('=');
    const name = text.slice(0, cut);
    if (cut < 1 || !known.has(name) || Object.hasOwn(env, name)) return null;
    env[name] = text.slice(cut + 1);
  }
  return { env, event: body.subarray(end + 1) };
}

/** Separates the outputs in an answer. It cannot occur in them, because both escape control characters. */
export const SEPARATOR = '\u0001';

/** What the script prints: empty if the hook has no output, which is the usual case. */
export function answerText({ stdout, stderr, exit }: { stdout: string; stderr: string; exit: number }): string {
  return stdout === '' && stderr === '' && exit === 0 ? '' : [stdout, stderr, exit].join(SEPARATOR);
}
