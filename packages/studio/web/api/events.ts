/** The events of a workspace, as the server sends them. Connects again after a break, from the last event on. */
import { authorization, isOurServer } from './session.ts';

/** Every event names what it is about; the fields differ. */
export interface StudioEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

export type Connection = 'connecting' | 'live' | 'lost';

export interface Listener {
  /** The first event of each connection is `ready`: much may have happened while there was none. */
  readonly onEvent: (event: StudioEvent) => void;
  readonly onConnection: (state: Connection) => void;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 5_000;

/** @returns ends the connection */
export function followEvents(workspace: string, listener: Listener): () => void {
  const ended = new AbortController();
  void follow(workspace, listener, ended.signal);
  return () => ended.abort();
}

async function follow(workspace: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let last: string | null = null;
  let wait = FIRST_WAIT_MS;
  listener.onConnection('connecting');
  while (!signal.aborted) {
    try {
      const response = await fetch(`/api/workspaces/${encodeURIComponent(workspace)}/events`, {
        headers: {
          ...authorization(),
          Accept: 'text/event-stream',
          ...(last === null ? {} : { 'Last-Event-ID': last }),
        },
        signal,
      });
      if (response.ok && response.body !== null) {
        listener.onConnection('live');
        wait = FIRST_WAIT_MS;
        for await (const block of blocksOf(response.body)) {
          const { id, data } = fieldsOf(block);
          if (id !== null) last = id;
          if (data !== '') listener.onEvent(JSON.parse(data) as StudioEvent);
        }
      }
    } catch {
      // Tried again below.
    }
    if (signal.aborted) return;
    listener.onConnection('lost');
    do {
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    } while (!signal.aborted && !(await isOurServer().catch(() => false)));
  }
}

/** The blocks of a stream, which an empty line ends. */
async function* blocksOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

function fieldsOf(block: string): { readonly id: string | null; readonly data: string } {
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice('id: '.length);
    else if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
  }
  return { id, data: data.join('\n') };
}
