/**
 * A process that changes a tree at random: `node tree-writer.mjs FOLDER`. For each line `SEED COUNT` on stdin, it makes
 * COUNT changes and then answers.
 */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createInterface } from 'node:readline';

const [folder, outside] = process.argv.slice(2);

function randomOf(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Returns every path in the tree except those inside `.git`. */
function walk(at, found) {
  for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
    if (entry.name === '.git') continue;
    const path = `${at}/${entry.name}`;
    found.push({ path, isFolder: entry.isDirectory() });
    if (entry.isDirectory()) walk(path, found);
  }
  return found;
}

const NAMES = [
  'a.txt',
  'b.txt',
  'c',
  'd',
  'src',
  'lib',
  'node_modules',
  'build',
  'x.log',
  '.env',
  'caf\u00e9',
  '.gitignore',
];
const RULES = ['*.log\n', 'build\n', '*.txt\n!a.txt\n', '', '/src\n'];

const deeds = {
  write: ({ file, text }) => fs.writeFileSync(file, text),
  append: ({ file, text }) => fs.appendFileSync(file, text),
  create: ({ inFolder, name, text }) => fs.writeFileSync(`${inFolder}/${name}`, text, { flag: 'wx' }),
  makeFolder: ({ inFolder, name }) => fs.mkdirSync(`${inFolder}/${name}`),
  makeDeep: ({ inFolder, name, text }) => {
    fs.mkdirSync(`${inFolder}/${name}/src/deep`, { recursive: true });
    fs.writeFileSync(`${inFolder}/${name}/src/deep/a.txt`, text);
  },
  remove: ({ file }) => fs.rmSync(file),
  removeFolder: ({ aFolder }) => fs.rmSync(aFolder, { recursive: true }),
  again: ({ aFolder, text }) => {
    fs.rmSync(aFolder, { recursive: true });
    fs.mkdirSync(aFolder);
    fs.writeFileSync(`${aFolder}/a.txt`, text);
  },
  renameOver: ({ file, other }) => fs.renameSync(file, other),
  renameFolder: ({ aFolder, inFolder, name }) => fs.renameSync(aFolder, `${inFolder}/${name}`),
  thereAndBack: ({ aFolder, text }) => {
    fs.renameSync(aFolder, `${outside}/away-${process.pid}`);
    fs.writeFileSync(`${outside}/away-${process.pid}/from-outside`, text);
    fs.renameSync(`${outside}/away-${process.pid}`, aFolder);
  },
  mode: ({ file, number }) => fs.chmodSync(file, [0o644, 0o600, 0o755][number % 3]),
  modeOfFolder: ({ aFolder, number }) => fs.chmodSync(aFolder, [0o755, 0o700][number % 2]),
  link: ({ inFolder, name, number }) => fs.symlinkSync(['a.txt', '..', 'nowhere'][number % 3], `${inFolder}/${name}`),
  secondName: ({ file, number }) => fs.linkSync(file, `${outside}/second-${number}`),
  secondNameInside: ({ file, inFolder, name }) => fs.linkSync(file, `${inFolder}/${name}`),
  bySecondName: ({ text }) => {
    const seconds = fs.readdirSync(outside).filter((name) => name.startsWith('second-'));
    if (seconds.length > 0) fs.appendFileSync(`${outside}/${seconds[text.length % seconds.length]}`, text);
  },
  rules: ({ inFolder, number }) => fs.writeFileSync(`${inFolder}/.gitignore`, RULES[number % RULES.length]),
  exclude: ({ number }) => fs.writeFileSync(`${folder}/.git/info/exclude`, RULES[number % RULES.length]),
  commit: () => {
    git('add', '-A');
    git('commit', '-qm', 'x');
  },
  branch: ({ number }) => git('checkout', '-qf', '-B', `branch-${number % 4}`, number % 2 === 0 ? 'HEAD' : 'HEAD~1'),
  other: ({ number }) => git('checkout', '-qf', `branch-${number % 4}`),
  nested: ({ inFolder }) => execFileSync('git', ['init', '-q', inFolder], { stdio: 'ignore' }),
  refresh: () => git('status'),
  track: ({ anyPath }) => git('add', '-f', anyPath),
  untrack: ({ anyPath }) => git('rm', '-rq', '--cached', anyPath),
};

function git(...args) {
  execFileSync('git', ['-C', folder, ...args], { stdio: 'ignore' });
}

const chosen = Object.keys(deeds);
const OFTEN = ['write', 'append', 'create', 'makeFolder', 'remove', 'renameOver', 'renameFolder'];

function deed(random) {
  const all = walk(folder, []);
  const files = all.filter(({ isFolder }) => !isFolder);
  const folders = all.filter(({ isFolder }) => isFolder);
  const pick = (from) => {
    const dependencies = random(3) === 0 ? from.filter(({ path }) => path.includes('/node_modules')) : [];
    const chosenFrom = dependencies.length > 0 ? dependencies : from;
    return chosenFrom[random(chosenFrom.length)]?.path ?? `${folder}/nothing`;
  };
  const kind = random(3) > 0 ? OFTEN[random(OFTEN.length)] : chosen[random(chosen.length)];
  const number = random(1000);
  deeds[kind]({
    file: pick(files),
    other: pick(files),
    aFolder: pick(folders),
    anyPath: pick(all),
    inFolder: random(4) === 0 ? folder : pick(folders),
    name: NAMES[random(NAMES.length)],
    text: `${process.pid} ${number}\n`.repeat(1 + random(3)),
    number,
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const [seed, count] = line.split(' ').map(Number);
  const random = randomOf(seed);
  let done = 0;
  for (let each = 0; each < count; each++) {
    try {
      deed(random);
      done += 1;
    } catch {
      // Another process was faster, or git refused.
    }
  }
  console.log(done);
}
