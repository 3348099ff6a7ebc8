// Writes three files in the folder that it is given, without an end. Each part of 4096 bytes is filled with one number:
//   over.bin      256 parts, written over in place from the front, one call for each part, with the next number
//   renamed.bin   16 parts of one number, written beside it and renamed
//   grown.bin     emptied, then grown part by part with one number
import fs from 'node:fs';
import path from 'node:path';

const at = (name) => path.join(process.argv[2], name);
const OVER = 256;
const PARTS = 16;
const part = (number) => Buffer.from(String(number).padStart(8, '0').repeat(512));

const over = fs.openSync(at('over.bin'), 'w+');
for (let index = 0; index < OVER; index++) fs.writeSync(over, part(0), 0, 4096, index * 4096);
process.stdout.write('ready\n');

for (let number = 1; ; number++) {
  const bytes = part(number);
  for (let index = 0; index < OVER; index++) fs.writeSync(over, bytes, 0, 4096, index * 4096);
  fs.writeFileSync(path.join(process.argv[2], '..', 'beside.bin'), Buffer.concat(Array(PARTS).fill(bytes)));
  fs.renameSync(path.join(process.argv[2], '..', 'beside.bin'), at('renamed.bin'));
  const grown = fs.openSync(at('grown.bin'), 'w');
  for (let index = 0; index < PARTS; index++) fs.writeSync(grown, bytes);
  fs.closeSync(grown);
  // Time to read: a writer that never rests lets nobody see anything but that it writes.
  if (number % 4 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 14);
}
