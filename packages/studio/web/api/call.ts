/** Requests to the server of this page. A failure is thrown as a `CallFailed`, with the error as the commands print it. */
import type { JsonName } from '@savepoint/core';
import type { InputOf, OutputOf, VERBS } from '@savepoint/core/frontend';
import type {
  ErrorAnswer,
  HealthAnswer,
  OutputLine,
  VerbAnswer,
  VerbName,
  WireError,
  WorkspacesAnswer,
} from '../../server/wire.ts';
import { authorization } from './session.ts';

export type { HealthAnswer, OutputLine, VerbName, WireError, WorkspacesAnswer };

type VerbOf<Name extends VerbName> = (typeof VERBS)[Name];
export type Input<Name extends VerbName> = Partial<InputOf<VerbOf<Name>>>;
export type Output<Name extends VerbName> = OutputOf<VerbOf<Name>>;

export interface Answered<Name extends VerbName> {
  /** As the exit status of the command: 3 is a preview with a conflict. */
  readonly status: number;
  readonly output: Output<Name>;
  readonly warnings: readonly string[];
}

export class CallFailed extends Error {
  readonly error: WireError;
  /** Of the response; null if there was none. */
  readonly httpStatus: number | null;

  constructor(error: WireError, httpStatus: number | null) {
    super(error.message);
    this.error = error;
    this.httpStatus = httpStatus;
  }
}

export async function loadWorkspaces(signal?: AbortSignal): Promise<WorkspacesAnswer> {
  const response = await reach('/api/workspaces', { headers: authorization(), ...(signal ? { signal } : {}) });
  return readAnswer<WorkspacesAnswer>(response);
}

/** Whether the hooks of agents and the daemon work. */
export async function loadHealth(workspace: string, signal?: AbortSignal): Promise<HealthAnswer> {
  const response = await reach(`/api/workspaces/${encodeURIComponent(workspace)}/health`, {
    headers: authorization(),
    ...(signal ? { signal } : {}),
  });
  return readAnswer<HealthAnswer>(response);
}

export async function callVerb<Name extends VerbName>(
  workspace: string,
  verb: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Answered<Name>> {
  const path = `/api/workspaces/${encodeURIComponent(workspace)}/verbs/${verb}`;
  return answered(await postJson<GoodAnswer<Name>>(path, input, signal));
}

/**
 * Calls a verb whose checks print.
 * @param onOutput receives what they print, as it comes; it may contain anything
 */
export async function callWithChecks<Name extends VerbName>(
  workspace: string,
  verb: Name,
  input: Input<Name>,
  onOutput: (line: OutputLine) => void,
  signal?: AbortSignal,
): Promise<Answered<Name>> {
  const response = await reach(`/api/workspaces/${encodeURIComponent(workspace)}/verbs/${verb}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson', ...authorization() },
    body: JSON.stringify(input),
    ...(signal ? { signal } : {}),
  });
  const isInLines = response.headers.get('content-type')?.startsWith('application/x-ndjson') === true;
  if (!isInLines || response.body === null) return answered(await readAnswer<GoodAnswer<Name>>(response));
  let answer: VerbAnswer<Output<Name>> | null = null;
  try {
    for await (const line of linesOf(response.body)) {
      const got = JSON.parse(line) as OutputLine | VerbAnswer<Output<Name>>;
      if ('check' in got) onOutput(got);
      else answer = got;
    }
  } catch {
    throw new CallFailed(UNREACHABLE, null);
  }
  if (answer === null) throw new CallFailed(UNREADABLE, response.status);
  if ('error' in answer) throw new CallFailed(answer.error, response.status);
  return answered(answer);
}

/** @throws CallFailed */
export async function postJson<Answer extends object>(
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await reach(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization() },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  return readAnswer<Answer>(response);
}

/** Where the bytes of a file are: at a checkpoint, in a plan, or in the folder now. */
export type ContentSource =
  | { readonly at: string }
  | { readonly plan: string; readonly state: 'proposed' | 'selected' | 'base' }
  | { readonly folder: 'now' };

export async function loadContent(
  workspace: string,
  source: ContentSource,
  path: JsonName,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const named: Readonly<Record<string, string>> = typeof path === 'string' ? { path } : { path64: base64url(path.b64) };
  const query = new URLSearchParams({ ...source, ...named });
  const response = await reach(`/api/workspaces/${encodeURIComponent(workspace)}/content?${query}`, {
    headers: authorization(),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) await readAnswer(response);
  return new Uint8Array(await response.arrayBuffer());
}

export function asWireError(error: unknown): WireError {
  if (error instanceof CallFailed) return error.error;
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INTERNAL', message, data: {}, hint: 'Load the page again.' };
}

type GoodAnswer<Name extends VerbName> = Exclude<VerbAnswer<Output<Name>>, ErrorAnswer>;

function answered<Name extends VerbName>({ status, output, warnings = [] }: GoodAnswer<Name>): Answered<Name> {
  return { status, output, warnings };
}

async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function base64url(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new CallFailed(UNREACHABLE, null);
  }
}

async function readAnswer<Answer extends object>(response: Response): Promise<Answer> {
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    throw new CallFailed(UNREADABLE, response.status);
  }
  if (typeof body !== 'object' || body === null) throw new CallFailed(UNREADABLE, response.status);
  if ('error' in body) throw new CallFailed((body as ErrorAnswer).error, response.status);
  return body as Answer;
}

const UNREACHABLE: WireError = {
  code: 'INTERNAL',
  message: 'The server of this page does not answer.',
  data: {},
  hint: 'If it was stopped, run `savepoint studio` again. The page connects by itself when it is back.',
};

const UNREADABLE: WireError = {
  code: 'INTERNAL',
  message: 'The server of this page sent an answer that cannot be read.',
  data: {},
  hint: 'Load the page again.',
};
