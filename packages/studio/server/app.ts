/** The routes. Whatever reaches them has passed the checks of request-checks.ts. */
import { type DiskPath, SavepointError } from '@savepoint/core';
import { safeJson } from '@savepoint/core/ports';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Activity } from './activity.ts';
import { bundleRoutes } from './bundle-routes.ts';
import type { Bundles } from './bundles.ts';
import { callLines, LINES_TYPE } from './call-lines.ts';
import { callVerb } from './call-verb.ts';
import { callableVerbs, isVerbName, maxBodyOf, refusedVerb, verbOf } from './callable-verbs.ts';
import { contentOf, pathOf, sourceOf } from './content.ts';
import { eventStream } from './events.ts';
import { asFailure, requestError } from './failure.ts';
import type { OpenWorkspace } from './open-workspace.ts';
import type { PageFiles } from './page-files.ts';
import { jsonBody, RequestProblem } from './request-body.ts';
import type { NodeParts } from './respond.ts';
import type { Sessions } from './sessions.ts';
import type { OneTimeTokens } from './tokens.ts';
import type { Uploads } from './uploads.ts';
import type { HealthAnswer, ProofAnswer, ProofRequest, SessionRequest, WorkspacesAnswer } from './wire.ts';
import type { Workspaces } from './workspaces.ts';

export interface AppParts {
  readonly version: string;
  readonly isReadOnly: boolean;
  /** The agent below which the server was started; null for a person. */
  readonly startedBy: string | null;
  readonly heartbeatMs: number;
  readonly page: PageFiles;
  readonly tokens: OneTimeTokens;
  readonly sessions: Sessions;
  readonly workspaces: Workspaces;
  readonly health: (root: DiskPath) => Promise<HealthAnswer>;
  readonly bundles: Bundles;
  readonly uploads: Uploads;
  readonly activity: Activity;
  /** A browser has opened the page. */
  readonly opened: () => void;
}

type Env = { Bindings: NodeParts };

const MAX_SMALL_BODY = 4096;

export function studioApp(parts: AppParts): Hono<Env> {
  const { tokens, sessions, workspaces, isReadOnly } = parts;
  const app = new Hono<Env>();
  app.onError(failed);

  app.post('/api/session', async (context) => {
    const { token } = fieldsOf<SessionRequest>(await jsonBody(context.env.incoming, MAX_SMALL_BODY));
    if (typeof token !== 'string' || !tokens.use(token)) return refused(context, 401, WRONG_TOKEN, OPEN_AGAIN);
    parts.opened();
    return answer(context, 200, sessions.open());
  });
  app.post('/api/proof', async (context) => {
    const { id, nonce } = fieldsOf<ProofRequest>(await jsonBody(context.env.incoming, MAX_SMALL_BODY));
    const proof = typeof id === 'string' && typeof nonce === 'string' ? sessions.prove(id, nonce) : null;
    if (proof === null) return refused(context, 401, NO_SESSION, OPEN_AGAIN);
    return answer(context, 200, { proof } satisfies ProofAnswer);
  });
  app.use('/api/*', onlyInSession(parts));

  app.get('/api/workspaces', async (context) => {
    const { first, ...listed } = await workspaces.list();
    const { version, startedBy } = parts;
    const server = { version, isReadOnly, startedBy, first, verbs: callableVerbs(isReadOnly) };
    return answer(context, 200, { ...listed, server } satisfies WorkspacesAnswer);
  });
  app.post('/api/workspaces/:id/verbs/:verb', async (context) => {
    const name = context.req.param('verb');
    if (!isVerbName(name)) return refused(context, 404, `There is no verb ${JSON.stringify(name)}.`);
    const why = refusedVerb(name, isReadOnly);
    if (why !== null) return refused(context, 403, `The page may not call ${name}: ${why}.`);
    const workspace = await workspaceOf(context, workspaces);
    if (workspace.isBundle && verbOf(name).changes !== 'nothing')
      return refused(context, 403, `A bundle is only looked at, so ${name} is not available.`);
    const given = await jsonBody(context.env.incoming, maxBodyOf(name));
    if (context.req.header('accept') === LINES_TYPE) {
      context.env.stream = callLines(workspace, name, given, context.env.signal);
      return context.body(null, 200, { 'Content-Type': LINES_TYPE });
    }
    return answer(context, 200, await callVerb(workspace, name, given, context.env.signal));
  });
  app.get('/api/workspaces/:id/health', async (context) => {
    const { savepoint } = await workspaceOf(context, workspaces);
    const { root } = await savepoint.place({ orNew: true });
    return answer(context, 200, await parts.health(root));
  });
  app.get('/api/workspaces/:id/events', async (context) => {
    const after = context.req.header('last-event-id') ?? null;
    const { savepoint } = await workspaceOf(context, workspaces);
    const { signal } = context.env;
    context.env.stream = eventStream(savepoint, { after, signal, heartbeatMs: parts.heartbeatMs });
    return context.body(null, 200, { 'Content-Type': 'text/event-stream' });
  });
  app.get('/api/workspaces/:id/content', async (context) => {
    const query = context.req.query();
    const from = sourceOf(query);
    const path = pathOf(query['path'], query['path64']);
    if (from === undefined || path === null)
      return refused(context, 400, 'Content needs `at`, `plan` or `folder=now`, and either `path` or `path64`.');
    const { savepoint } = await workspaceOf(context, workspaces);
    const [range, ifRange] = [context.req.header('range') ?? null, context.req.header('if-range') ?? null];
    const { status, headers, bytes } = await contentOf(savepoint, { from, path, range, ifRange });
    context.env.stream = bytes;
    return context.body(null, status, headers);
  });
  app.route('/api', bundleRoutes(parts));
  app.all('/api/*', (context) => refused(context, 404, 'There is nothing at this address.'));

  app.get('*', (context) => {
    const file = parts.page.find(context.req.path);
    if (file === null) return refused(context, 404, 'The page has no such file.');
    return context.body(file.bytes, 200, { 'Content-Type': file.type });
  });
  return app;
}

const WRONG_TOKEN = 'This address has been used before, or is too old.';
const NO_SESSION = 'This browser is not let in, or its time is over.';
const OPEN_AGAIN = 'Run `savepoint studio` again to open the page.';

/** Everything after it needs a session, and keeps the server from being idle. */
function onlyInSession({ sessions, activity }: AppParts): MiddlewareHandler<Env> {
  return async (context, next) => {
    if (!sessions.accepts(context.req.header('authorization'))) return refused(context, 401, NO_SESSION, OPEN_AGAIN);
    const { incoming, outgoing } = context.env;
    // A check may run for minutes, and a stream of events for hours.
    incoming.socket.setTimeout(0);
    outgoing.once('close', activity.begin());
    return next();
  };
}

/** @throws RequestProblem */
async function workspaceOf(context: Context<Env>, workspaces: Workspaces): Promise<OpenWorkspace> {
  const workspace = await workspaces.find(context.req.param('id') ?? '');
  if (workspace === null) throw new RequestProblem(404, 'There is no such workspace.');
  return workspace;
}

function failed(error: unknown, context: Context<Env>): Response {
  if (error instanceof RequestProblem) return refused(context, error.status, error.message);
  const failure = asFailure(error);
  return answer(context, error instanceof SavepointError ? 422 : 500, { error: failure.toJSON() });
}

/** The fields of a body from outside: any of them may be missing or have another type. */
function fieldsOf<Body>(body: unknown): { readonly [Field in keyof Body]?: unknown } {
  return typeof body === 'object' && body !== null ? body : {};
}

function refused(context: Context<Env>, status: ContentfulStatusCode, message: string, hint?: string): Response {
  // The body of a refused request is not read, so nothing can follow it.
  if (!context.env.incoming.complete) context.header('Connection', 'close');
  return answer(context, status, { error: requestError(message, hint) });
}

function answer(context: Context<Env>, status: ContentfulStatusCode, body: object): Response {
  return context.body(safeJson(body, 0), status, { 'Content-Type': 'application/json' });
}
