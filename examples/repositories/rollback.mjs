// @ts-check
/**
 * An agent works on five repositories side by side; a person looks at what it did and goes back to an earlier message of the
 * conversation. All five go back together, and the agent goes on from there:
 *
 *     npm run build && node examples/repositories/rollback.mjs
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';

const base = mkdtempSync(join(tmpdir(), 'savepoint-example-'));
const dir = join(base, 'projects');
const repositories = ['frontend', 'backend-api', 'shared-components', 'deployment-config', 'documentation'];
for (const name of repositories) {
  mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, name, 'README.md'), `# ${name}\n`);
  execFileSync('git', ['init', '-q', join(dir, name)]);
}

const savepoint = open({ dir, home: join(base, 'home') });
const session = savepoint.session({ agent: 'example' });
/** The conversation as the agent keeps it. */
let messages = /** @type {readonly { id: string, text: string }[]} */ ([]);

/**
 * A message, and what is done about it by a tool.
 * @param {string} id
 * @param {string} text
 * @param {{ readonly [path: string]: string }} files
 */
async function say(id, text, files) {
  messages = [...messages, { id, text }];
  await session.message(id, text, { conversation: { messages: messages.length } });
  const paths = Object.keys(files);
  await session.call({ tool: 'write', kind: 'write', paths }, () => {
    for (const [path, content] of Object.entries(files)) appendFileSync(join(dir, path), content);
  });
}

const files = () =>
  repositories.map((name) =>
    readdirSync(join(dir, name))
      .filter((file) => file !== '.git')
      .join(' '),
  );
const show = (/** @type {string} */ title) => {
  console.log(title);
  for (const [index, names] of files().entries()) console.log(`  ${repositories[index]}: ${names}`);
};

try {
  await say('message-1', 'I will add user profiles.', {});
  await say('message-2', 'Added a User model to the API.', { 'backend-api/user.js': 'export class User {}\n' });
  await say('message-3', 'Created a ProfileCard.', {
    'shared-components/ProfileCard.jsx': 'export const ProfileCard = 1;\n',
  });
  await say('message-4', 'The frontend shows it.', { 'frontend/profile.jsx': 'import "ProfileCard";\n' });
  await say('message-5', 'The new endpoints are deployed.', { 'deployment-config/api.yaml': 'users: true\n' });
  show('Five messages later:');

  savepoint.on('rollback:completed', ({ checkpoint, roots }) => {
    console.log(`Went back over ${roots} roots: ${checkpoint.id} (${checkpoint.description}).`);
  });
  const { conversation } = await session.rollbackTo('message-2', { conversation: messages });
  messages = conversation ?? [];
  show(`Back at message 2, with ${messages.length} messages left:`);

  await say('message-6', 'A simpler UserInfo, then.', {
    'shared-components/UserInfo.jsx': 'export const UserInfo = 1;\n',
  });
  await say('message-7', 'The dashboard shows it.', { 'frontend/dashboard.jsx': 'import "UserInfo";\n' });
  show(`On a new path, at ${messages.at(-1)?.id}:`);

  const left = await savepoint.restore('message:message-4');
  show(`The path that was left can still be reached (${left.target.id}):`);
} finally {
  await savepoint.idle();
  rmSync(base, { recursive: true, force: true });
}
