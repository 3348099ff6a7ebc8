// @ts-check
/** The project in the pictures: a small shop, two agents, and a person, always with the same times and ids. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';

const MINUTE = 60_000;

/** @typedef {import('@savepoint/core').DiskPath} DiskPath */
/** @typedef {readonly [path: string, text: string | null]} Write */

/**
 * @param {{ dir: string, home: string, now: number }} where
 * `now`: when the pictures are taken, in milliseconds since 1970
 */
export async function makeDemo({ dir, home, now }) {
  let time = now - 120 * MINUTE;
  const ports = nodePorts();
  const clock = Object.assign(Object.create(ports.clock), { now: () => time });
  const savepoint = open({
    dir: /** @type {DiskPath} */ (dir),
    ports: { ...ports, clock },
    places: { home: /** @type {DiskPath} */ (home), userHome: null, globalIgnore: null },
  });
  const ago = (/** @type {number} */ minutes) => {
    time = now - minutes * MINUTE;
  };
  const write = (/** @type {readonly Write[]} */ files) => {
    for (const [path, text] of files) {
      const file = join(dir, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
  };
  const turn = async (
    /** @type {string} */ agent,
    /** @type {string} */ prompt,
    /** @type {readonly (readonly Write[])[]} */ calls,
  ) => {
    const session = savepoint.session({ agent, id: agent === 'claude' ? '5f0c9a1e' : '0199ab7c' });
    await session.prompt(prompt);
    for (const files of calls) {
      time += 20_000;
      const paths = files.map(([path]) => path);
      await session.call({ tool: 'Write', kind: 'write', paths }, () => write(files));
    }
  };

  write(PROJECT);
  ago(110);
  const first = await savepoint.checkpoint({ message: 'before the agents start' });
  await savepoint.pin(first.checkpoint.id);
  ago(96);
  await turn('claude', 'Add a session store with an expiry, and use it in the login route', [
    [['src/auth/session.ts', SESSION]],
    [['src/routes/login.ts', LOGIN]],
    [['test/session.test.ts', SESSION_TEST]],
  ]);
  ago(71);
  await turn('codex', 'Show prices with the currency of the customer', [
    [['src/cart/price.ts', PRICE]],
    [['src/cart/total.ts', TOTAL_2]],
  ]);
  ago(55);
  await savepoint.checkpoint({ message: 'login works, tests are green', testResult: 'pass' });
  ago(38);
  await turn('claude', 'Rate-limit logins: five attempts a minute for each address', [
    [['src/auth/rate-limit.ts', RATE_LIMIT]],
    [['src/routes/login.ts', LOGIN_2]],
    [['README.md', README_2]],
  ]);
  ago(24);
  write([['src/cart/total.ts', TOTAL_3]]);
  ago(19);
  await turn('codex', 'Delete the old currency helper, nothing uses it', [[['src/cart/currency.ts', null]]]);
  ago(11);
  await turn('claude', 'Log every failed login with its address, but never the password', [
    [['src/auth/audit.ts', AUDIT]],
    [['src/routes/login.ts', LOGIN_3]],
  ]);
  ago(4);
  await turn('claude', 'Make the session survive a restart: keep it in SQLite', [
    [
      ['src/auth/session.ts', SESSION_2],
      ['src/auth/database.ts', DATABASE],
    ],
    [['test/session.test.ts', SESSION_TEST_2]],
  ]);
  await savepoint.idle();
  savepoint.close();
}

const TOTAL = `import { inEuro } from './currency.ts';

export function total(items: readonly Item[]): string {
  return inEuro(items.reduce((sum, item) => sum + item.cents, 0));
}
`;
const TOTAL_2 = `import { priceText } from './price.ts';

export function total(items: readonly Item[], currency: string): string {
  return priceText(items.reduce((sum, item) => sum + item.cents, 0), currency);
}
`;
const TOTAL_3 = TOTAL_2.replace('item.cents, 0', 'item.cents * item.count, 0');
const PRICE = `/** Formats an amount for the customer's locale. */
export function priceText(cents: number, currency: string): string {
  return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(cents / 100);
}
`;
const LOGIN_0 = `import { users } from '../users.ts';

export async function login(request: Request): Promise<Response> {
  const { name, password } = await request.json();
  const user = await users.verify(name, password);
  if (user === null) return new Response('Wrong name or password', { status: 401 });
  return Response.json({ name: user.name });
}
`;
const LOGIN = LOGIN_0.replace(
  'import { users }',
  "import { sessions } from '../auth/session.ts';\nimport { users }",
).replace(
  '  return Response.json({ name: user.name });',
  "  const session = sessions.create(user.id);\n  return Response.json({ name: user.name }, { headers: { 'set-cookie': session.cookie } });",
);
const LOGIN_2 = LOGIN.replace(
  'import { sessions }',
  "import { isAllowed } from '../auth/rate-limit.ts';\nimport { sessions }",
).replace(
  '  const user = await',
  "  if (!isAllowed(request)) return new Response('Too many attempts', { status: 429 });\n  const user = await",
);
const LOGIN_3 = LOGIN_2.replace(
  'import { isAllowed }',
  "import { failed } from '../auth/audit.ts';\nimport { isAllowed }",
).replace(
  "  if (user === null) return new Response('Wrong name or password', { status: 401 });",
  "  if (user === null) {\n    failed(request, name);\n    return new Response('Wrong name or password', { status: 401 });\n  }",
);
const SESSION = `import { randomUUID } from 'node:crypto';

const LIFETIME_MS = 30 * 60_000;

/** Sessions of signed-in users, until the process ends. */
export class Sessions {
  readonly #byId = new Map<string, { user: string; ends: number }>();

  create(user: string): { id: string; cookie: string } {
    const id = randomUUID();
    this.#byId.set(id, { user, ends: Date.now() + LIFETIME_MS });
    return { id, cookie: \`session=\${id}; HttpOnly; Secure\` };
  }

  userOf(id: string): string | null {
    const found = this.#byId.get(id);
    return found !== undefined && found.ends > Date.now() ? found.user : null;
  }
}

export const sessions = new Sessions();
`;
const SESSION_2 = SESSION.replace("'node:crypto';\n", "'node:crypto';\nimport { database } from './database.ts';\n")
  .replace(
    '/** Sessions of signed-in users, until the process ends. */',
    '/** Sessions of signed-in users. They survive a restart. */',
  )
  .replace('  readonly #byId = new Map<string, { user: string; ends: number }>();\n\n', '')
  .replace(
    '    this.#byId.set(id, { user, ends: Date.now() + LIFETIME_MS });',
    "    const ends = Date.now() + LIFETIME_MS;\n    database.run('INSERT INTO sessions VALUES (?, ?, ?)', id, user, ends);",
  )
  .replace(
    '    const found = this.#byId.get(id);\n    return found !== undefined && found.ends > Date.now() ? found.user : null;',
    "    const now = Date.now();\n    return database.one('SELECT user FROM sessions WHERE id = ? AND ends > ?', id, now)?.user ?? null;",
  );
const DATABASE = `import { DatabaseSync } from 'node:sqlite';

const file = process.env['SHOP_DATABASE'] ?? 'shop.db';
export const database = new DatabaseSync(file);

database.exec('CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, user TEXT, ends INTEGER)');
`;
const SESSION_TEST = `import { expect, it } from 'vitest';
import { sessions } from '../src/auth/session.ts';

it('knows the user of a new session', () => {
  const { id } = sessions.create('ada');
  expect(sessions.userOf(id)).toBe('ada');
});
`;
const SESSION_TEST_2 = `${SESSION_TEST}
it('knows it after a restart', async () => {
  const { id } = sessions.create('ada');
  const again = await import('../src/auth/session.ts?restarted');
  expect(again.sessions.userOf(id)).toBe('ada');
});
`;
const RATE_LIMIT = `const PER_MINUTE = 5;
const attempts = new Map<string, number[]>();

export function isAllowed(request: Request): boolean {
  const address = request.headers.get('x-forwarded-for') ?? 'local';
  const since = Date.now() - 60_000;
  const recent = (attempts.get(address) ?? []).filter((time) => time > since);
  attempts.set(address, [...recent, Date.now()]);
  return recent.length < PER_MINUTE;
}
`;
const AUDIT = `export function failed(request: Request, name: string): void {
  const address = request.headers.get('x-forwarded-for') ?? 'local';
  console.warn(JSON.stringify({ event: 'login-failed', name, address }));
}
`;
const README = '# shop-api\n\nThe API of a small shop.\n';
const README_2 = `${README}\nLogins are limited to five a minute for each address.\n`;
/** @type {readonly Write[]} */
const PROJECT = [
  ['README.md', README],
  ['package.json', '{\n  "name": "shop-api",\n  "type": "module"\n}\n'],
  ['src/cart/currency.ts', 'export const inEuro = (cents: number): string => (cents / 100).toFixed(2) + " EUR";\n'],
  ['src/cart/total.ts', TOTAL],
  ['src/routes/login.ts', LOGIN_0],
  ['src/users.ts', "export const users = new Users(process.env['USERS'] ?? 'users.json');\n"],
];
