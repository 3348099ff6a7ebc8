/** What the page and the server send each other, as JSON. The page imports these types. */
import type { JsonName } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';

export type VerbName = keyof typeof VERBS;

/** The body of `POST /api/session`. */
export interface SessionRequest {
  /** From the address that opened the page. It works once. */
  readonly token: string;
}

/** A session of one browser. */
export interface SessionAnswer {
  /** Public: names the session when the server proves itself. */
  readonly id: string;
  /** Secret: sent as `Authorization: Bearer …`. */
  readonly session: string;
  /** An ISO time. */
  readonly expires: string;
}

/** The body of `POST /api/proof`. A page asks before it sends its session to a server that it has lost sight of. */
export interface ProofRequest {
  /** The id of the session. */
  readonly id: string;
  /** 32 random bytes, in base64url. */
  readonly nonce: string;
}

export interface ProofAnswer {
  /** HMAC-SHA-256 of the nonce's text, in base64url. The key is the SHA-256 of the session's text. */
  readonly proof: string;
}

/** The answer of `GET /api/workspaces`. */
export interface WorkspacesAnswer {
  readonly workspaces: readonly WorkspaceRow[];
  /** Stores that cannot be read. */
  readonly problems: readonly WireError[];
  readonly server: ServerState;
}

export interface WorkspaceRow {
  readonly id: string;
  readonly path: JsonName;
  readonly created: string;
  /** Whether the folder exists. */
  readonly present: boolean;
  /** It is a bundle that was opened for review. Then `path` is its name, and only what changes nothing is answered. */
  readonly isBundle: boolean;
}

export interface ServerState {
  readonly version: string;
  /** Only verbs that change nothing are allowed. */
  readonly isReadOnly: boolean;
  /** The agent below which the server was started: it then refuses what only a person may do. Null: a person started it. */
  readonly startedBy: string | null;
  /** What is shown first: the bundle or the workspace with which the server was started; null if it has no checkpoints yet. */
  readonly first: string | null;
  /** The verbs that the page may call. */
  readonly verbs: readonly VerbName[];
}

/** The answer of `GET /api/workspaces/:id/health`: whether what agents do is reported. */
export interface HealthAnswer {
  /** Agents with hooks of Savepoint in their settings, or whose hooks are missing here. */
  readonly agents: readonly AgentHealth[];
  readonly daemon: DaemonHealth;
}

export type AgentHealth = NonNullable<OutputOf<(typeof VERBS)['status']>['agents']>[number] & {
  /** What its hooks cannot hold back in plan mode; null: nothing that is known. */
  readonly planLimit: string | null;
};

/** The process that answers hooks. Hooks work without it, too. */
export interface DaemonHealth {
  /** `leaving`: it accepts no more requests. */
  readonly state: 'running' | 'leaving' | 'none';
  /** An ISO time; null unless it runs. */
  readonly since: string | null;
  readonly events: number | null;
  /** Of its answers, in milliseconds. */
  readonly medianMs: number | null;
}

/** The body of `POST /api/bundles`: a page sends a bundle to look at it. */
export interface BundleRequest {
  /** Of the file, to show. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

export interface BundleAnswer {
  /** The id of the upload. */
  readonly upload: string;
  /** The most bytes of one part. */
  readonly part: number;
}

/** The body of `POST /api/bundles/:upload/parts`. */
export interface PartRequest {
  /** The number of bytes that were sent before. */
  readonly offset: number;
  /** In base64. */
  readonly bytes: string;
}

/** The answer of `POST /api/bundles/:upload/open`, when every part has arrived. */
export interface OpenedBundle {
  /** The id of its workspace. */
  readonly workspace: string;
}

/** The answer of `POST /api/workspaces/:id/verbs/:verb`. */
export type VerbAnswer<Output = unknown> =
  | { readonly status: number; readonly output: Output; readonly warnings?: readonly string[] }
  | ErrorAnswer;

/**
 * A line of the answer to a request with `Accept: application/x-ndjson`: what a check has printed. It may contain anything. The
 * last line is a `VerbAnswer`.
 */
export interface OutputLine {
  readonly check: string;
  readonly text: string;
}

export interface ErrorAnswer {
  readonly error: WireError;
}

/** As the commands print it with --json. */
export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly data: unknown;
  readonly hint: string;
  readonly details?: readonly unknown[] | undefined;
}
