/** The routes for bundles that a page opens to look at them. Their contents come in parts, as JSON like everything else. */
import { rmSync } from 'node:fs';
import { safeJson } from '@savepoint/core/ports';
import { Hono } from 'hono';
import type { Bundles } from './bundles.ts';
import { jsonBody, RequestProblem } from './request-body.ts';
import type { NodeParts } from './respond.ts';
import { UPLOAD_PART, type Uploads } from './uploads.ts';
import type { BundleAnswer, BundleRequest, OpenedBundle, PartRequest } from './wire.ts';

type Env = { Bindings: NodeParts };
type Fields<Body> = { readonly [Field in keyof Body]?: unknown };

const MAX_SMALL_BODY = 8192;
const MAX_NAME = 1024;
/** In base64, and what is around it. */
const MAX_PART_BODY = Math.ceil(UPLOAD_PART / 3) * 4 + 1024;

export function bundleRoutes({
  bundles,
  uploads,
}: {
  readonly bundles: Bundles;
  readonly uploads: Uploads;
}): Hono<Env> {
  const app = new Hono<Env>();
  app.post('/bundles', async ({ env, body }) => {
    const { name, size } = fieldsOf<BundleRequest>(await jsonBody(env.incoming, MAX_SMALL_BODY));
    if (typeof name !== 'string' || name === '' || name.length > MAX_NAME || typeof size !== 'number')
      throw new RequestProblem(400, 'A bundle needs a name and a size.');
    return body(...json({ upload: uploads.begin(name, size), part: UPLOAD_PART } satisfies BundleAnswer));
  });
  app.post('/bundles/:upload/parts', async ({ env, req, body }) => {
    const { offset, bytes } = fieldsOf<PartRequest>(await jsonBody(env.incoming, MAX_PART_BODY));
    if (typeof offset !== 'number' || typeof bytes !== 'string')
      throw new RequestProblem(400, 'A part needs an offset and its bytes.');
    return body(...json({ received: uploads.add(req.param('upload'), offset, Buffer.from(bytes, 'base64')) }));
  });
  app.post('/bundles/:upload/open', async ({ env, req, body }) => {
    await jsonBody(env.incoming, MAX_SMALL_BODY);
    const { name, file } = uploads.take(req.param('upload'));
    try {
      const workspace = await bundles.open(file, name, env.signal);
      return body(...json({ workspace } satisfies OpenedBundle));
    } finally {
      rmSync(file, { force: true });
    }
  });
  app.post('/workspaces/:id/close', async ({ env, req, body }) => {
    await jsonBody(env.incoming, MAX_SMALL_BODY);
    if (!(await bundles.close(req.param('id')))) throw new RequestProblem(404, 'There is no such bundle.');
    return body(...json({}));
  });
  return app;
}

function json(answer: object): [string, 200, Readonly<Record<string, string>>] {
  return [safeJson(answer, 0), 200, { 'Content-Type': 'application/json' }];
}

/** The fields of a body from outside: any of them may be missing or have another type. */
function fieldsOf<Body>(body: unknown): Fields<Body> {
  return typeof body === 'object' && body !== null ? body : {};
}
