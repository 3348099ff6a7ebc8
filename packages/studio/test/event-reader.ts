import http from 'node:http';
import { onTestFinished } from 'vitest';
import { bearer, type Entered, type Started } from './started.ts';

export interface ReadEvent {
  readonly name: string;
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Reads a stream of events as the page does. */
export interface EventReader {
  readonly events: readonly ReadEvent[];
  /** The number of comments, which show that the server is still there. */
  beats(): number;
  /** Resolves once the condition holds for what has been read; fails if the stream ends before. */
  until(condition: () => boolean): Promise<void>;
  close(): void;
}

export function readEvents(
  { port, origin }: Pick<Started, 'port' | 'origin'>,
  { session, workspace }: Pick<Entered, 'session' | 'workspace'>,
  lastId?: string,
): EventReader {
  const events: ReadEvent[] = [];
  let [beats, rest, ended] = [0, '', null as string | null];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const one of [...waiting]) one();
  };
  const headers = { ...bearer(session), Origin: origin, ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }) };
  const path = `/api/workspaces/${workspace}/events`;
  const request = http.get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
    if (response.statusCode !== 200) ended = `status ${response.statusCode}`;
    response.setEncoding('utf8').on('data', (text: string) => {
      const frames = (rest + text).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        if (frame.startsWith(':')) beats += 1;
        else events.push(eventOf(frame));
      }
      wake();
    });
    const end = (): void => {
      ended ??= 'closed';
      wake();
    };
    response.on('end', end);
    response.on('error', end);
  });
  request.on('error', (error) => {
    ended ??= error.message;
    wake();
  });
  const close = (): void => void request.destroy();
  onTestFinished(close);
  return {
    events,
    beats: () => beats,
    close,
    until: (condition) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (condition()) resolve();
          else if (ended !== null) reject(new Error(`the stream ended: ${ended}`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
  };
}

function eventOf(frame: string): ReadEvent {
  const fields = new Map(frame.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]));
  return {
    name: fields.get('event') ?? '',
    id: fields.get('id') ?? null,
    data: JSON.parse(fields.get('data') ?? 'null') as Readonly<Record<string, unknown>>,
  };
}
