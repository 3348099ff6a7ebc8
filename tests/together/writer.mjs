// Writes three files in the given folder, forever. Each part of 4096 bytes is filled with one number:
//   over.bin      256 parts, overwritten in place from the start, one call for each part, with the next number
//   renamed.bin   16 parts of one number, written to a temporary file and renamed
//   grown.bin     truncated, then grown part by part with one number
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
  // A pause to read: if a writer never pauses, captures only ever see that it is writing.
  if (number % 4 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 14);
}
