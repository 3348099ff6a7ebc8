/** A workspace in a sandbox. Savepoint itself runs in the sandbox, and each call here is one request to it. */

import { readJson } from '../content/strict-json.ts';
import { givenDiskPath } from '../io/given-path.ts';
import type { Random } from '../io/ports.ts';
import type { Actor, ConversationPosition } from '../model/checkpoint.ts';
import { ERROR_CODES, type ErrorCode, SavepointError } from '../model/errors.ts';
import { type DiskPath, type JsonName, nameToJson } from '../model/names.ts';
import type { GivenWrite, TextReplacement } from '../model/reported-write.ts';
import { invalidAnswer } from '../sandbox/ask-runner.ts';
import type { CommandResult, Sandbox } from '../sandbox/sandbox.ts';
import type { Savepoint } from '../savepoint.ts';
import type { CallContext, CallEnd, CallRequest } from '../session/call-request.ts';
import type { SessionOptions } from '../session/session-options.ts';
import { checkSessionCall, SESSION_OPTIONS } from '../session/session-shapes.ts';
import { VERBS } from '../verbs/table.ts';
import { answerStatus, type InputOf, type OutputOf, schemasOf, type Verb, type VerbContext } from '../verbs/verb.ts';
import { isProgramLost, programOf, type RemoteProgram, runCommand, type UploadedProgram, upload } from './upload.ts';
import { REMOTE_VERBS, type RemoteVerb } from './wire.ts';

/** Options for opening a workspace in a sandbox. */
export interface RemoteOptions {
  readonly random: Random;
  /** The program to run in the sandbox: `bundle/remote.js` of the package `@savepoint/cli`. */
  readonly program: Uint8Array;
  /** Uses `dir` itself as the workspace, even if it is inside another one. Default false. */
  readonly here?: boolean;
  /** The home in the sandbox. Default: from the sandbox's environment. */
  readonly home?: string;
  /** The agent that acts. Default: the user. */
  readonly agent?: string;
  /** Path of node in the sandbox. Default `node`, looked up in its PATH. */
  readonly node?: string;
  /** The folder in the sandbox that holds the program. Default: `savepoint` in the account's cache folder. */
  readonly cache?: string;
  /** Timeout for one call in milliseconds. Default 10 minutes. */
  readonly timeoutMs?: number;
}

type Verbs = typeof VERBS;

/** Every verb as a method, with the names of `open` and the shapes of `--json`. */
export type RemoteVerbs = {
  readonly [Key in keyof Verbs]: (input: InputOf<Verbs[Key]>, context?: VerbContext) => Promise<OutputOf<Verbs[Key]>>;
};

/** A workspace in a sandbox, with those methods of `Savepoint` that make sense remotely. */
export interface RemoteSavepoint extends RemoteVerbs {
  readonly sandbox: Sandbox;
  /** Creates a session for an agent's calls. Nothing is captured until it starts. */
  session(options: Omit<SessionOptions, 'track'>): RemoteSession;
}

type SessionVerbs = typeof import('./session-verbs.ts').SESSION_VERBS;
type CapturedJson = OutputOf<SessionVerbs['sessionStart']>['checkpoint'];

export interface RemoteSession {
  readonly id: string;
  readonly actor: Actor;
  start(options?: {
    readonly conversation?: ConversationPosition;
    readonly signal?: AbortSignal;
  }): Promise<CapturedJson>;
  prompt(
    text: string,
    messageId?: string | null,
    options?: { readonly conversation?: ConversationPosition; readonly signal?: AbortSignal },
  ): Promise<CapturedJson>;
  begin(request: RemoteCall, options?: { readonly signal?: AbortSignal }): Promise<{ readonly id: string }>;
  end(
    id: string,
    options?: Pick<CallEnd, 'background' | 'writes' | 'ranMs' | 'signal'>,
  ): Promise<OutputOf<SessionVerbs['sessionEnd']>>;
  /** Runs `work` as a tool call. Changes in the sandbox meanwhile are attributed to it, even if it fails. */
  call<T>(
    request: RemoteCall,
    work: (context: Pick<CallContext, 'report'>) => T | Promise<T>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<T>;
  close(options?: { readonly signal?: AbortSignal }): Promise<void>;
}

/** A tool call of an agent. Sub-agents, programs that are agents, and Savepoint's own tools are known only inside the sandbox. */
export type RemoteCall = Omit<CallRequest, 'actor' | 'own' | 'shell' | 'hosts' | 'hostsAgent'>;

/** Methods of `open` that a verb of another name covers. */
interface VerbsByMethod {
  readonly overview: 'list';
  readonly pinned: 'list';
  readonly notHappened: 'status';
  readonly repositories: 'repos';
  readonly rootChanges: 'show';
  readonly createBundle: 'bundleCreate';
  readonly restoreBundle: 'bundleRestore';
  readonly exportBundles: 'bundleExport';
  readonly exportWithRetry: 'bundleExport';
  readonly diffChange: 'diff';
  readonly forgetSession: 'deleteSession';
  readonly tidyUp: 'gc';
  readonly replaceLinks: 'gc';
  readonly events: 'watch';
  readonly checkSummaries: 'show';
  readonly frozen: 'freeze';
  readonly isFrozen: 'freeze';
  readonly frozenBy: 'freeze';
  readonly link: 'linkWorkspace';
  readonly listChecks: 'trust';
  readonly trustChecks: 'trust';
  readonly revokeTrust: 'trust';
  readonly createForks: 'forkCreate';
  readonly forks: 'forkList';
  readonly diffForks: 'forkDiff';
  readonly compareForks: 'forkCompare';
  readonly openFork: 'forkOpen';
  readonly fork: 'forkShow';
  readonly runInFork: 'forkRun';
  readonly mergeFork: 'forkMerge';
  readonly dropFork: 'forkDrop';
  readonly cleanForks: 'forkClean';
  readonly currentFork: 'status';
  readonly proposeEdits: 'planNew';
  readonly proposeFrom: 'planNew';
  readonly revisePlan: 'planRevise';
  readonly plans: 'planList';
  readonly plan: 'planShow';
  readonly planPatch: 'planShow';
  readonly planHunks: 'planShow';
  readonly decidePlan: 'planReview';
  readonly recordDecisions: 'planReview';
  readonly approvePlan: 'planReview';
  readonly applyPlan: 'planApply';
  readonly commitPlan: 'planCommit';
  readonly notePlan: 'planRevise';
  readonly cancelPlan: 'planCancel';
  readonly addComment: 'commentAdd';
  readonly comments: 'commentList';
  readonly resolveComment: 'commentResolve';
  readonly deleteComment: 'commentDelete';
  readonly planMode: 'planMode';
  readonly setPlanMode: 'planMode';
  readonly scope: 'scopeList';
  readonly addToScope: 'scopeAdd';
  readonly dropFromScope: 'scopeDrop';
  readonly planPolicy: 'planPolicy';
  readonly setPlanPolicy: 'planPolicy';
  readonly checkPlan: 'planCheck';
  readonly setPlanPhases: 'planPhases';
  readonly splitPlan: 'planSplit';
  readonly runPlan: 'planApply';
  readonly rollBackPlan: 'planRollback';
}

/**
 * Methods that make no sense remotely: events, watching, those that run a function of the caller, and those about the
 * current process. For previews, use `dryRun`.
 */
type NotRemote =
  | 'on'
  | 'watch'
  | 'close'
  | 'now'
  | 'idle'
  | 'once'
  | 'recordOwnEntries'
  | 'place'
  | 'moment'
  | 'caller'
  | 'openCalls'
  | 'openCopy'
  | 'copies'
  | 'cleanCopies'
  | 'applyCopy'
  | 'reopenCopy'
  | 'diffCopy'
  | 'endCopyPrograms'
  | 'saveCopyPatch'
  | 'rebaseCopy'
  | 'applyTurn'
  | 'nextTurn'
  | 'followPlans'
  | `preview${string}`;

type UncoveredMethods = Exclude<keyof Savepoint, keyof RemoteSavepoint | keyof VerbsByMethod | NotRemote>;
type AssertNever<T extends never> = T;
type UnknownVerbs = Exclude<VerbsByMethod[keyof VerbsByMethod], keyof Verbs>;
/**
 * A new method of `open` must be a verb or be listed above; otherwise this file does not compile.
 * @public
 */
export type AllMethodsCovered = AssertNever<UncoveredMethods | UnknownVerbs>;

const CALL_MS = 10 * 60_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Opens a workspace in a sandbox. Nothing is sent before the first call. The first call looks for node, and uploads
 * Savepoint if it is missing or has another version.
 *
 * Every method throws the errors of the Savepoint inside, and SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER. A signal
 * ends the command inside; if the command was already done, its answer is still returned.
 * @param dir absolute path in the sandbox
 */
export function openRemote(sandbox: Sandbox, dir: JsonName, options: RemoteOptions): RemoteSavepoint {
  return openRemoteWith(sandbox, dir, options).remote;
}

type Ask = RemoteClient['ask'];

/** Like {@link openRemote}, and also returns a function for requests that are not public verbs. */
export function openRemoteWith(
  sandbox: Sandbox,
  dir: JsonName,
  options: RemoteOptions,
): { readonly remote: RemoteSavepoint; readonly ask: Ask } {
  const asker = new RemoteClient(sandbox, givenDiskPath({ platform: 'linux' }, dir), options);
  const methods = Object.fromEntries(
    (Object.keys(VERBS) as (keyof Verbs)[]).map((name) => [
      name,
      (input: never, context: VerbContext = {}) => asker.ask(name, input, context),
    ]),
  ) as unknown as RemoteVerbs;
  const remote = {
    ...methods,
    sandbox,
    session: (given: RemoteSessionOptions) => remoteSession(asker, options.random, given),
  };
  return { remote, ask: (name, input, context) => asker.ask(name, input, context) };
}

type RemoteSessionOptions = Omit<SessionOptions, 'track'>;

class RemoteClient {
  readonly #sandbox: Sandbox;
  readonly #dir: DiskPath;
  readonly #options: RemoteOptions;
  readonly #program: RemoteProgram;
  #uploaded: Promise<UploadedProgram> | null = null;

  constructor(sandbox: Sandbox, dir: DiskPath, options: RemoteOptions) {
    this.#sandbox = sandbox;
    this.#dir = dir;
    this.#options = options;
    this.#program = programOf(options.program);
  }

  async ask<Name extends RemoteVerb>(
    name: Name,
    input: InputOf<(typeof REMOTE_VERBS)[Name]>,
    { signal, toolCall }: VerbContext,
  ): Promise<OutputOf<(typeof REMOTE_VERBS)[Name]>> {
    if (signal?.aborted) throw new SavepointError('CANCELLED', 'Cancelled before the sandbox was used.');
    const { here, agent, home, timeoutMs, random } = this.#options;
    const question = {
      verb: name,
      input,
      dir: nameToJson(this.#dir),
      here: here ?? false,
      agent: agent ?? null,
      toolCall: typeof toolCall === 'string' ? toolCall : null,
    };
    const text = jsonText(question);
    const run = async (): Promise<CommandResult> =>
      this.#sandbox.run({
        id: random.hex(8),
        command: runCommand(await this.#ensureUploaded(signal), this.#program),
        input: Buffer.from(text),
        env: home === undefined ? {} : { SAVEPOINT_HOME: home },
        timeoutMs: timeoutMs ?? CALL_MS,
        mostBytes: MAX_ANSWER_BYTES,
        ...(signal === undefined ? {} : { signal }),
      });
    let result = await run();
    if (isProgramLost(result)) {
      this.#uploaded = null;
      result = await run();
    }
    return (await this.#parseResult(REMOTE_VERBS[name], result)) as OutputOf<(typeof REMOTE_VERBS)[Name]>;
  }

  /** Concurrent calls share one upload. After a failure, the next call tries again. */
  #ensureUploaded(signal: AbortSignal | undefined): Promise<UploadedProgram> {
    if (this.#uploaded === null) {
      const { node = 'node', cache = null } = this.#options;
      const coming = upload({ sandbox: this.#sandbox, program: this.#program, node, cache, signal });
      this.#uploaded = coming;
      coming.catch(() => {
        if (this.#uploaded === coming) this.#uploaded = null;
      });
    }
    return this.#uploaded;
  }

  async #parseResult(verb: Verb, result: CommandResult): Promise<unknown> {
    const strange = (why: string): SavepointError => invalidAnswer(this.#sandbox.name, why);
    const { ended, exit, stdout, stderr } = result;
    if (ended === 'too-much') throw strange(`it is longer than ${MAX_ANSWER_BYTES} bytes`);
    if (exit === 0 || ((exit === 1 || exit === 4 || exit === 5) && stdout.length > 0)) {
      const output = parseJson(stdout);
      const checked = output === undefined ? null : (await schemasOf(verb)).output.safeParse(output);
      if (!checked?.success) throw strange(`it does not have the shape of an answer to \`${verb.name}\``);
      if (answerStatus(verb, checked.data) !== exit) throw strange('its exit status does not match');
      return checked.data;
    }
    const failure = parseFailure(parseJson(stderr));
    if (failure !== null && (failure.exit === exit || (failure.code === 'CANCELLED' && exit !== null))) throw failure;
    if (ended === 'exit' && exit !== null) throw strange(`it exited with status ${exit} and without a matching error`);
    throw this.#lostError(ended);
  }

  #lostError(ended: CommandResult['ended']): SavepointError {
    const { name } = this.#sandbox;
    const why = { timeout: 'did not end in time', aborted: 'was stopped', exit: 'was killed', 'too-much': '' }[ended];
    const message = `Savepoint in ${name} ${why}; the next call that writes recovers its unfinished work.`;
    return new SavepointError('SANDBOX_LOST', message, { sandbox: name, began: true, detail: ended });
  }
}

function remoteSession(asker: RemoteClient, random: Random, options: Omit<SessionOptions, 'track'>): RemoteSession {
  SESSION_OPTIONS(options, 'options');
  const { agent, id = random.hex(8) } = options;
  const actor: Actor = typeof agent === 'string' ? { kind: 'agent', name: agent } : agent;
  const { name, version, id: sub } = actor;
  const sessionInput = {
    id,
    agent: { name, ...(version === undefined ? {} : { version }), ...(sub === undefined ? {} : { id: sub }) },
  };
  const it: RemoteSession = {
    id,
    actor,
    async start(options = {}) {
      checkSessionCall.start(options);
      const { conversation, signal } = options;
      const input = {
        session: sessionInput,
        ...(conversation === undefined ? {} : { conversation: { ...conversation } }),
      };
      return (await asker.ask('sessionStart', input, contextOf(signal))).checkpoint;
    },
    async prompt(text, messageId = null, options = {}) {
      checkSessionCall.prompt(text, messageId, options);
      const { conversation, signal } = options;
      const more = conversation === undefined ? {} : { conversation: { ...conversation } };
      const input = { session: sessionInput, text, messageId, ...more };
      return (await asker.ask('sessionPrompt', input, contextOf(signal))).checkpoint;
    },
    async begin(given, options = {}) {
      checkSessionCall.begin(given, options);
      const { paths, writes, dir, args, ...rest } = given;
      const request = {
        ...rest,
        ...(args === undefined ? {} : { args: shownArgs(args) }),
        ...(paths === undefined ? {} : { paths: [...paths] }),
        ...(writes === undefined ? {} : { writes: writes.map(writeToJson) }),
        ...(dir === undefined ? {} : { dir }),
      };
      return asker.ask('sessionBegin', { session: sessionInput, request }, contextOf(options.signal));
    },
    async end(call, end = {}) {
      checkSessionCall.end(call, end);
      const { background, writes, ranMs, signal } = end;
      const input = {
        session: sessionInput,
        id: call,
        ...(background === undefined ? {} : { background }),
        ...(writes === undefined ? {} : { writes: writes.map(writeToJson) }),
        ...(ranMs === undefined ? {} : { ranMs }),
      };
      return asker.ask('sessionEnd', input, contextOf(signal));
    },
    async call(request, work, options = {}) {
      checkSessionCall.work(work);
      const open = await it.begin(request, options);
      const reported: CallEnd[] = [];
      try {
        return await work({ report: (writes) => void reported.push({ writes }) });
      } finally {
        await it.end(open.id, reported.at(-1));
      }
    },
    async close(options = {}) {
      checkSessionCall.close(options);
      const { signal } = options;
      await asker.ask('sessionClose', { session: sessionInput }, contextOf(signal));
    },
  };
  return it;
}

/** Arguments are only displayed. Those that cannot be converted to JSON must not make a call fail. */
function shownArgs(args: unknown): unknown {
  try {
    JSON.stringify(args);
    return args;
  } catch {
    return null;
  }
}

/** @throws SavepointError USAGE */
function jsonText(question: unknown): string {
  try {
    return JSON.stringify(question);
  } catch (cause) {
    const message = 'The input cannot be sent to the sandbox, because it cannot be converted to JSON.';
    throw new SavepointError('USAGE', message, { argument: 'input' }, { cause });
  }
}

function writeToJson({ path, result, ...rest }: GivenWrite) {
  const copied = Array.isArray(result) ? result.map((one: TextReplacement) => ({ ...one })) : result;
  return { path, result: copied as string | TextReplacement[] | null, ...rest };
}

function contextOf(signal: AbortSignal | undefined): VerbContext {
  return signal === undefined ? {} : { signal };
}

/** Returns undefined if the bytes are not JSON. */
function parseJson(bytes: Buffer): unknown {
  try {
    return readJson(bytes, { keys: 'once-any-name' });
  } catch {
    return undefined;
  }
}

const MAX_MESSAGE_LENGTH = 10_000;

/** Decodes an error that Savepoint reported; null if it is not a valid one. */
function parseFailure(answer: unknown): SavepointError | null {
  const { error } = Object(answer) as { readonly error?: unknown };
  const { code, message, data, hint, details } = Object(error) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || !Object.hasOwn(ERROR_CODES, code)) return null;
  if (typeof message !== 'string' || typeof hint !== 'string') return null;
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
  return new SavepointError(
    code as ErrorCode,
    message.slice(0, MAX_MESSAGE_LENGTH),
    { ...data, ...(Array.isArray(details) ? { details } : {}) },
    { hint: hint.slice(0, MAX_MESSAGE_LENGTH) },
  );
}
