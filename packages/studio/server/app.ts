/** The routes. Whatever reaches them has passed the checks of request-checks.ts. */
import { safeJson } from '@savepoint/core/ports';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { callVerb } from './call-verb.ts';
import { callableVerbs, isVerbName, maxBodyOf, refusedVerb } from './callable-verbs.ts';
import { asFailure, requestError } from './failure.ts';
import type { PageFiles } from './page-files.ts';
import { jsonBody, RequestProblem } from './request-body.ts';
import { RESPONSE_HEADERS } from './response-headers.ts';
import type { Sessions } from './sessions.ts';
import type { OneTimeTokens } from './tokens.ts';
import type { ProofAnswer, ProofRequest, SessionRequest, WorkspacesAnswer } from './wire.ts';
import type { Workspaces } from './workspaces.ts';

export interface AppParts {
  readonly version: string;
  readonly isReadOnly: boolean;
  /** The agent below which the server was started; null for a person. */
  readonly startedBy: string | null;
  readonly page: PageFiles;
  readonly tokens: OneTimeTokens;
  readonly sessions: Sessions;
  readonly workspaces: Workspaces;
  /** A browser has opened the page: its private file is no longer needed. */
  readonly opened: () => void;
}

const MAX_SMALL_BODY = 4096;

export function studioApp(parts: AppParts): Hono {
  const { tokens, sessions, workspaces, isReadOnly } = parts;
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(RESPONSE_HEADERS)) context.res.headers.set(name, value);
  });
  app.onError((error, context) =>
    error instanceof RequestProblem
      ? refused(context, error.status, error.message)
      : answer(context, 500, { error: asFailure(error).toJSON() }),
  );

  app.post('/api/session', async (context) => {
    const { token } = fieldsOf<SessionRequest>(await jsonBody(context.req.raw, MAX_SMALL_BODY));
    if (typeof token !== 'string' || !tokens.use(token)) return refused(context, 401, WRONG_TOKEN, OPEN_AGAIN);
    parts.opened();
    return answer(context, 200, sessions.open());
  });
  app.post('/api/proof', async (context) => {
    const { id, nonce } = fieldsOf<ProofRequest>(await jsonBody(context.req.raw, MAX_SMALL_BODY));
    const proof = typeof id === 'string' && typeof nonce === 'string' ? sessions.prove(id, nonce) : null;
    return proof === null
      ? refused(context, 401, NO_SESSION, OPEN_AGAIN)
      : answer(context, 200, { proof } satisfies ProofAnswer);
  });
  app.use('/api/*', async (context, next) => {
    if (sessions.accepts(context.req.header('authorization'))) return next();
    return refused(context, 401, NO_SESSION, OPEN_AGAIN);
  });

  app.get('/api/workspaces', async (context) => {
    const [listed, first] = await Promise.all([workspaces.list(), workspaces.first()]);
    const { version, startedBy } = parts;
    const server = { version, isReadOnly, startedBy, first, verbs: callableVerbs(isReadOnly) };
    return answer(context, 200, { ...listed, server } satisfies WorkspacesAnswer);
  });
  app.post('/api/workspaces/:id/verbs/:verb', async (context) => {
    const name = context.req.param('verb');
    if (!isVerbName(name)) return refused(context, 404, `There is no verb ${JSON.stringify(name)}.`);
    const why = refusedVerb(name, isReadOnly);
    if (why !== null) return refused(context, 403, `The page may not call ${name}: ${why}.`);
    const workspace = await workspaces.find(context.req.param('id'));
    if (workspace === null) return refused(context, 404, NO_WORKSPACE);
    const given = await jsonBody(context.req.raw, maxBodyOf(name));
    return answer(context, 200, await callVerb(workspace, name, given, context.req.raw.signal));
  });
  app.all('/api/*', (context) => refused(context, 404, 'There is nothing at this address.'));

  app.get('*', (context) => {
    const file = parts.page.find(context.req.path);
    if (file === null) return refused(context, 404, 'The page has no such file.');
    return context.body(file.bytes, 200, { 'Content-Type': file.type });
  });
  return app;
}

const WRONG_TOKEN = 'This address has been used before, or is too old.';
const NO_SESSION = 'This browser is not let in, or has been idle for too long.';
const OPEN_AGAIN = 'Run `savepoint studio` again to open the page.';
const NO_WORKSPACE = 'There is no such workspace, or its folder does not exist.';

/** The fields of a body from outside: any of them may be missing or have another type. */
function fieldsOf<Body>(body: unknown): { readonly [Field in keyof Body]?: unknown } {
  return typeof body === 'object' && body !== null ? body : {};
}

function refused(context: Context, status: ContentfulStatusCode, message: string, hint?: string): Response {
  return answer(context, status, { error: requestError(message, hint) });
}

function answer(context: Context, status: ContentfulStatusCode, body: object): Response {
  return context.body(safeJson(body, 0), status, { 'Content-Type': 'application/json' });
}
