/** What a hook's script sends: variables of its environment, each ended by a zero byte, and behind the last the event. */

export interface HookRequest {
  readonly env: Readonly<Record<string, string>>;
  readonly event: Buffer;
}

/** Bytes of the variables together. */
const LONGEST_ENVIRONMENT = 1 << 20;

/** @param known the variables that may be sent; null: it is no such request */
export function parseHookRequest(body: Buffer, known: ReadonlySet<string>): HookRequest | null {
  // JSON holds no zero byte, and a shell's variables cannot.
  const end = body.lastIndexOf(0);
  if (end > LONGEST_ENVIRONMENT) return null;
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

/** Parts the answer's own outputs from each other; none of them holds it, as both escape what no terminal should see. */
export const BETWEEN = '\u0001';

/** What the script prints: empty where the hook has nothing to say, which is nearly always. */
export function answerText({ stdout, stderr, exit }: { stdout: string; stderr: string; exit: number }): string {
  return stdout === '' && stderr === '' && exit === 0 ? '' : [stdout, stderr, exit].join(BETWEEN);
}
