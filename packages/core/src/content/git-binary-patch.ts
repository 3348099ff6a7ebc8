/** Writes git's binary patches: both contents, compressed, in base 85. */

import { deflateSync } from 'node:zlib';

/** Bytes of compressed data in one line. */
const LINE_BYTES = 52;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

/** Returns what follows the line `index`: the patch that turns `before` into `after`, and the one back. */
export function gitBinaryPatch(before: Uint8Array, after: Uint8Array): string {
  return `GIT binary patch\n${literal(after)}\n${literal(before)}\n`;
}

function literal(content: Uint8Array): string {
  const data = deflateSync(content);
  const lines: string[] = [];
  for (let at = 0; at < data.length; at += LINE_BYTES) {
    const part = data.subarray(at, at + LINE_BYTES);
    lines.push(`${lengthDigit(part.length)}${base85(part)}\n`);
  }
  return `literal ${content.length}\n${lines.join('')}`;
}

/** A for 1 to Z for 26, a for 27 to z for 52. */
function lengthDigit(length: number): string {
  return String.fromCharCode(length <= 26 ? 64 + length : 70 + length);
}

/** Four bytes become five digits, the most significant first. The last group is filled with zeros. */
function base85(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    let value = 0;
    for (let place = 0; place < 4; place++) value = value * 256 + (bytes[at + place] ?? 0);
    let group = '';
    for (let place = 0; place < 5; place++) {
      group = (DIGITS[value % 85] ?? '') + group;
      value = Math.floor(value / 85);
    }
    text += group;
  }
  return text;
}
