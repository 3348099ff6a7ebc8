// @ts-check
/**
 * Changes a folder at random: `node random-changes.mjs FOLDER SEED COUNT`. With COUNT 0 it continues until it reads
 * `stop` on standard input, or standard input is closed.
 */
import {
  appendFileSync,
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @param {number} seed @returns {(below: number) => number} */
function chance(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** @param {string} root @param {number} seed */
export function randomChanges(root, seed) {
  const below = chance(seed);
  /** @template Thing @param {readonly Thing[]} things @returns {Thing} */
  const pick = (things) => /** @type {Thing} */ (things[below(things.length)]);
  const name = () => pick(['a', 'b', 'c', 'd', 'e', 'f', 'caf\xe9', 'new\nline']) + (below(3) === 0 ? below(4) : '');
  /** @type {number[]} */
  const held = [];

  /** @param {boolean} folders */
  const all = (folders) => {
    /** @type {string[]} */
    const found = folders ? [root] : [];
    const open = [root];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      for (const entry of readdirSync(path)) {
        const child = `${path}/${entry}`;
        const isFolder = lstatSync(child).isDirectory();
        if (isFolder) open.push(child);
        if (isFolder === folders) found.push(child);
      }
    }
    return found;
  };
  const folder = () => pick(all(true));
  const file = () => pick([...all(false), `${folder()}/${name()}`]);
  const fresh = () => `${folder()}/${name()}`;
  const some = () => pick([...all(true).slice(1), ...all(false), fresh()]);

  /** @type {(() => void)[]} */
  const actions = [
    () => writeFileSync(fresh(), 'x'.repeat(below(50))),
    () => writeFileSync(file(), 'y'.repeat(below(50))),
    () => appendFileSync(file(), 'z'),
    () => truncateSync(file(), below(5)),
    () => chmodSync(pick(all(false)), below(2) === 0 ? 0o644 : 0o755),
    () => chmodSync(folder(), below(2) === 0 ? 0o700 : 0o755),
    () => utimesSync(file(), below(2e9), below(2e9)),
    () => mkdirSync(fresh()),
    () => mkdirSync(`${fresh()}/${name()}/${name()}`, { recursive: true }),
    () => symlinkSync(name(), fresh()),
    () => rmSync(some(), { recursive: true }),
    () => rmSync(pick(all(false))),
    () => renameSync(pick(all(false)), fresh()),
    () => renameSync(some(), fresh()),
    () => renameSync(pick(all(true).slice(1)), fresh()),
    () => {
      const [one, other] = [some(), `${root}/aside`];
      renameSync(one, other);
      writeFileSync(pick([`${other}/inside`, other]), 'w');
      renameSync(other, one);
    },
    () => {
      const one = pick(all(true).slice(1));
      rmSync(one, { recursive: true });
      mkdirSync(one);
      writeFileSync(`${one}/${name()}`, 'again');
    },
    () => {
      const path = fresh();
      writeFileSync(path, 'aside');
      renameSync(path, file());
    },
    () => held.push(openSync(file(), 'a')),
    () => writeSync(pick(held), 'held'),
    () => closeSync(held.splice(below(held.length), 1)[0] ?? -1),
  ];

  return {
    /** Makes or attempts one change. */
    change() {
      try {
        pick(actions)();
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error)) throw error;
      }
      if (held.length > 8) closeSync(held.shift() ?? -1);
    },
    /** Closes the files that are still open. */
    end() {
      for (const fd of held.splice(0)) closeSync(fd);
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root = '', seed = '1', count = '0'] = process.argv.slice(2);
  const { change } = randomChanges(root, Number(seed));
  if (count !== '0') for (let made = 0; made < Number(count); made++) change();
  else {
    let stop = false;
    process.stdin.on('data', () => {
      stop = true;
    });
    process.stdin.on('end', () => process.exit());
    const next = () => {
      for (let made = 0; made < 20; made++) change();
      if (stop) process.stdout.write('stopped\n', () => process.exit());
      else setImmediate(next);
    };
    next();
  }
}
