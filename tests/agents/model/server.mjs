// @ts-check
/**
 * A scripted model that speaks four protocols. It is stateless: the number of call results in a request selects the
 * next step, so a repeated request gets the same answer.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { anthropic } from './anthropic.mjs';
import { chat } from './chat.mjs';
import { gemini } from './gemini.mjs';
import { object } from './json.mjs';
import { responses } from './responses.mjs';

/**
 * @typedef {import('./plan.ts').Plan} Plan
 * @typedef {import('./plan.ts').Script} Script
 * @typedef {import('./plan.ts').Step} Step
 * @typedef {import('./plan.ts').Seen} Seen
 * @typedef {import('./plan.ts').Conversation} Conversation
 */

const PROTOCOLS = [anthropic, responses, chat, gemini];
/** @type {Step} */
const ASIDE = { text: 'ok' };

/**
 * @param {{ readonly plan: Plan, readonly folder: string, readonly env?: NodeJS.ProcessEnv, readonly port?: number }}
 * options `folder` and `env` are for the `meanwhile` commands
 * @returns {Promise<{ url: string, seen: Seen[], trouble: string[], stop: () => Promise<void> }>} `seen`: the requests
 * about the work, in order; `trouble`: errors of the server, for people
 */
export async function startModel({ plan, folder, env = process.env, port = 0 }) {
  /** @type {Seen[]} */
  const seen = [];
  /** @type {string[]} */
  const trouble = [];
  /** @type {Set<Step>} */
  const happened = new Set();
  let answers = 0;

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  const answer = async (request, response) => {
    const body = await readBody(request);
    const path = (request.url ?? '').replace(/\?.*/s, '');
    const protocol = PROTOCOLS.find(({ matches }) => matches(path));
    if (protocol === undefined || request.method !== 'POST') {
      const small = smallTalk(path);
      if (small === null) trouble.push(`no route for ${request.method} ${path}`);
      return send(response, small === null ? 404 : 200, small ?? { error: { message: 'not found' } });
    }
    const conversation = protocol.read(body, path);
    const { script, at, step: planned } = nextStep(plan, conversation);
    const isAsked = script.asks !== undefined && conversation.tools.length > 0;
    const step = isAsked ? await askFor(`${script.asks?.prefix}.${conversation.results.length}`) : planned;
    if (conversation.tools.length > 0) {
      if (step.meanwhile !== undefined && !happened.has(step)) {
        happened.add(step);
        meanwhile(step.meanwhile, folder, env);
      }
      seen.push({ ...conversation, protocol: protocol.name, marker: script.marker, step: at });
    }
    answers += 1;
    if (conversation.streams) stream(response, protocol.stream(step, conversation, answers));
    else send(response, 200, protocol.whole(step, conversation, answers));
  };
  const server = http.createServer((request, response) => {
    answer(request, response).catch((error) => {
      trouble.push(`${request.method} ${request.url}: ${error}`);
      send(response, 500, { error: { message: String(error) } });
    });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(undefined)));
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    trouble,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve(undefined));
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {Plan} plan
 * @param {Conversation} conversation
 * @returns {{ readonly script: Script, readonly at: number, readonly step: Step }}
 */
export function nextStep(plan, { tools, results, firstUserText, userTexts }) {
  const prompted = newestPrompt(plan, userTexts);
  const marked = plan.find(
    ({ marker, isForPrompt }) => isForPrompt !== true && marker !== '' && firstUserText.includes(marker),
  );
  const script = prompted?.script ??
    marked ??
    plan.find(({ marker }) => marker === '') ?? { marker: '', steps: [ASIDE] };
  if (tools.length === 0) return { script, at: -1, step: ASIDE };
  let left = results.length - (prompted?.results ?? 0);
  let at = 0;
  while (at < script.steps.length - 1 && left >= callsOf(script.steps[at]) && callsOf(script.steps[at]) > 0) {
    left -= callsOf(script.steps[at]);
    at += 1;
  }
  return { script, at, step: script.steps[at] ?? ASIDE };
}

/**
 * @param {Plan} plan
 * @param {Conversation['userTexts']} texts
 * @returns {{ readonly script: Script, readonly results: number } | undefined} `results`: those before the prompt
 */
function newestPrompt(plan, texts) {
  for (const { text, results } of texts.toReversed()) {
    const script = plan.find(({ marker, isForPrompt }) => isForPrompt === true && text.startsWith(marker));
    if (script !== undefined) return { script, results };
  }
  return undefined;
}

/** @param {Step | undefined} step */
function callsOf(step) {
  return step?.calls?.length ?? 0;
}

/** Waits as long as it takes. @param {string} name @returns {Promise<Step>} */
async function askFor(name) {
  writeFileSync(`${name}.at`, '');
  while (!existsSync(`${name}.go`)) await sleep(5);
  return JSON.parse(readFileSync(`${name}.go`, 'utf8'));
}

/** @param {string} command @param {string} folder @param {NodeJS.ProcessEnv} env */
function meanwhile(command, folder, env) {
  const done = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8', timeout: 60_000 });
  if (done.status !== 0) throw new Error(`meanwhile: ${command}: ${done.stderr}${done.error ?? ''}`);
}

/** Answers other requests of the programs. @param {string} path @returns {unknown} null: unknown */
function smallTalk(path) {
  if (path.endsWith('/count_tokens')) return { input_tokens: 10 };
  if (path.endsWith(':countTokens')) return { totalTokens: 10 };
  if (path.endsWith('/models')) return { object: 'list', data: [{ id: 'scripted', object: 'model' }] };
  return null;
}

/** @param {http.IncomingMessage} request @returns {Promise<Record<string, unknown>>} */
async function readBody(request) {
  /** @type {Buffer[]} */
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  /** @type {Buffer} */
  let bytes = Buffer.concat(chunks);
  if (request.headers['content-encoding'] === 'gzip') bytes = zlib.gunzipSync(bytes);
  return bytes.length === 0 ? {} : object(JSON.parse(bytes.toString('utf8')));
}

/** @param {http.ServerResponse} response @param {number} status @param {unknown} body */
function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** @param {http.ServerResponse} response @param {readonly import('./plan.ts').SentEvent[]} events */
function stream(response, events) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const { name, data } of events) {
    const line = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${name === null ? '' : `event: ${name}\n`}data: ${line}\n\n`);
  }
  response.end();
}
