// Saves two files in the given folder until its standard input ends: renamed.txt by renaming a new file over it, and
// inplace.txt through a handle. Each save has the next number. A save may displace its own predecessor; anything else
// that disappears was displaced by another process. Each save therefore reads what it is about to replace. At the end
// it reports as JSON which of its saves had disappeared.
import fs from 'node:fs';
import path from 'node:path';

const [, , folder, seed] = process.argv;
const beside = path.join(folder, '..', 'beside.txt');
const textOf = (name, number) => `${name} saved ${String(number).padStart(8, '0')}\n`;
const LENGTH = textOf('renamed.txt', 0).length;

// A reproducible random number: the pauses decide at which point of an edit a save happens.
let state = Number(seed) | 0;
const chance = () => {
  state = (Math.imul(state, 1664525) + 1013904223) | 0;
  return (state >>> 8) / 2 ** 24;
};
const cell = new Int32Array(new SharedArrayBuffer(4));
const pause = (most) => Atomics.wait(cell, 0, 0, chance() * most);

let ended = false;
process.stdin.on('end', () => {
  ended = true;
});
process.stdin.resume();

const reported = { saves: 0, displaced: [], last: {}, intoNothing: 0, elsewhere: [] };
const last = { 'renamed.txt': 0, 'inplace.txt': 0 };

function orNull(call) {
  try {
    return call();
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EEXIST') return null;
    throw error;
  }
}

/** `found`: the content that the save is about to replace. */
function saved(name, found, number) {
  if (last[name] !== 0 && found !== textOf(name, last[name])) reported.displaced.push({ name, number: last[name] });
  last[name] = number;
  reported.saves += 1;
}

function saveByRename(number) {
  const at = path.join(folder, 'renamed.txt');
  fs.writeFileSync(beside, textOf('renamed.txt', number));
  const found = orNull(() => fs.readFileSync(at, 'utf8'));
  fs.renameSync(beside, at);
  saved('renamed.txt', found, number);
}

function saveInPlace(number) {
  const at = path.join(folder, 'inplace.txt');
  const handle = orNull(() => fs.openSync(at, 'r+')) ?? orNull(() => fs.openSync(at, 'wx+'));
  if (handle === null) return;
  // A program that keeps the file open for long writes to it wherever it is by then.
  if (chance() < 0.3) pause(30);
  const found = Buffer.alloc(LENGTH);
  const length = fs.readSync(handle, found, 0, LENGTH, 0);
  fs.writeSync(handle, textOf('inplace.txt', number), 0);
  const { nlink, ino } = fs.fstatSync(handle);
  fs.closeSync(handle);
  // A file without a name: no other program can ever see what is written there.
  if (nlink === 0) reported.intoNothing += 1;
  else {
    if (orNull(() => fs.statSync(at))?.ino !== ino) reported.elsewhere.push(number);
    saved('inplace.txt', found.toString('latin1', 0, length), number);
  }
}

function round(number) {
  if (ended) {
    reported.last = last;
    process.stdout.write(`${JSON.stringify(reported)}\n`);
    return;
  }
  for (let burst = 0; burst < 8; burst++) {
    const save = chance() < 0.5 ? saveByRename : saveInPlace;
    save(number * 8 + burst);
    // Sometimes no pause at all, sometimes one for a part of an edit, or for a whole one.
    const rest = chance();
    if (rest > 0.35) pause(rest > 0.8 ? 200 : 25);
  }
  setImmediate(round, number + 1);
}

process.stdout.write('ready\n');
round(1);
