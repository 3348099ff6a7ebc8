import {
  closeSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { seededRandom, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';

/** The functions of packages/native/src/module.c. */
interface AddOn {
  listWithStats(...given: unknown[]): number;
  listAside(...given: unknown[]): Promise<number> | number;
  copyAside(...given: unknown[]): Promise<number> | number;
  watchInit(...given: unknown[]): number;
  watchAdd(...given: unknown[]): number;
  watchRemove(...given: unknown[]): number;
  watchRead(...given: unknown[]): number;
  close(...given: unknown[]): number;
}

const NEEDS_LARGER_BUFFER = -5000;
/** Offset in the buffer at which a listing by another thread starts. */
const ASIDE_AT = 8192;
const [ENOENT, EBADF, EINVAL, ENAMETOOLONG] = [-2, -9, -22, -36];
const FIELDS = ['size', 'ino', 'mode', 'mtimeMs', 'ctimeMs', 'nlink', 'dev'] as const;
const seed = Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1e9);

function load(file: string): AddOn {
  const module: { exports: unknown } = { exports: {} };
  process.dlopen(module, file);
  return module.exports as AddOn;
}

/** Decodes the listing in a buffer, by name. */
function reported(memory: Uint8Array, count: number): ReadonlyMap<string, readonly number[]> {
  const [numbersAt = 0, namesAt = 0, namesLength = 0] = new Float64Array(memory.buffer, memory.byteOffset, 4);
  const bytes = Buffer.from(memory.buffer, memory.byteOffset + namesAt, namesLength);
  const numbers = new Float64Array(memory.buffer, memory.byteOffset + numbersAt, count * FIELDS.length);
  const names = count === 0 ? [] : bytes.toString('latin1').split('/');
  expect(names).toHaveLength(count);
  expect(names).toEqual([...names].sort());
  return new Map(names.map((name, at) => [name, [...numbers.subarray(at * 7, at * 7 + 7)]]));
}

/** Requirements for an add-on, wherever it was built. */
export function checkAddOn(file: string): void {
  test('returns the same numbers for every file as lstat of node', () => {
    const addOn = load(file);
    const { workspace } = world(onTestFinished);
    const random = seededRandom(seed);
    for (let number = 0; number < 2000; number++) {
      const path = `${workspace}/${random.hex(1 + (number % 8))}-${number}`;
      if (number % 7 === 0) mkdirSync(path);
      else if (number % 7 === 1) symlinkSync('x'.repeat(1 + (number % 200)), path);
      else writeFileSync(path, 'x'.repeat(number % 300));
      // From 1907 to 2096, and around 1970, where seconds in a double have nanosecond precision.
      const time = number % 2 === 0 ? (random.next() * 6 - 2) * 1e9 : (random.next() - 0.5) * 4;
      if (number % 3 === 0) lutimesSync(path, time, time);
    }
    const memory = new Uint8Array(1 << 22);
    let compared = 0;
    for (const folder of [workspace, '/', '/usr/bin', '/etc', '/dev', '/sys/kernel']) {
      const before = new Map(readdirSync(folder).map((name) => [name, lstatSync(`${folder}/${name}`)]));
      const listed = reported(memory, addOn.listWithStats(-1, folder, memory));
      for (const [name, stat] of before) {
        const after = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
        if (FIELDS.some((field) => after?.[field] !== stat[field])) continue;
        compared++;
        expect(listed.get(Buffer.from(name).toString('latin1')), `${folder}/${name}, seed ${seed}`).toEqual(
          FIELDS.map((field) => stat[field]),
        );
      }
    }
    expect(compared).toBeGreaterThan(2000);
  });

  test('writes only into its buffer, and asks for a larger one if it is too small', () => {
    const addOn = load(file);
    const { workspace } = world(onTestFinished);
    for (let number = 0; number < 40; number++) writeFileSync(`${workspace}/${'n'.repeat(1 + number * 5)}`, '');
    const around = Buffer.alloc(1 << 16, 0xa5);
    const listsIn = (length: number): boolean => {
      around.fill(0xa5);
      const memory = new Uint8Array(around.buffer, around.byteOffset + 4096, length);
      const count = addOn.listWithStats(-1, workspace, memory);
      expect(around.subarray(0, 4096).every((byte) => byte === 0xa5)).toBe(true);
      expect(around.subarray(4096 + length).every((byte) => byte === 0xa5)).toBe(true);
      expect(count).toBe(count === NEEDS_LARGER_BUFFER ? NEEDS_LARGER_BUFFER : 40);
      if (count === 40) expect(reported(memory, count).size).toBe(40);
      return count === 40;
    };
    let [least, most] = [0, 60_000];
    while (least < most) {
      const middle = (least + most) >> 1;
      if (listsIn(middle)) most = middle;
      else least = middle + 1;
    }
    expect(least).toBeGreaterThan(40 * 56);
    for (let length = 0; length < 200; length++) expect(listsIn(length)).toBe(false);
    for (let length = least - 100; length < least + 50; length++) expect(listsIn(length)).toBe(length >= least);
  });

  test('returns the same on another thread, for many folders at once', async () => {
    const addOn = load(file);
    const { workspace } = world(onTestFinished);
    mkdirSync(`${workspace}/empty`);
    symlinkSync('empty', `${workspace}/link`);
    for (let number = 0; number < 300; number++) writeFileSync(`${workspace}/${number}`, 'x'.repeat(number));
    const folders = [workspace, `${workspace}/empty`, '/usr/bin', '/sys/kernel'];
    const asked = Array.from({ length: 60 }, (_, nth) => {
      const folder = folders[nth % folders.length] as string;
      const memory = new Uint8Array(1 << 20);
      return { folder, memory, listed: addOn.listAside(folder, memory) };
    });
    for (const { folder, memory, listed } of asked) {
      expect(listed).toBeInstanceOf(Promise);
      const here = new Uint8Array(1 << 20);
      const expected = addOn.listWithStats(-1, folder, here);
      expect(await listed).toBe(expected);
      expect([...reported(memory.subarray(ASIDE_AT), expected)]).toEqual([...reported(here, expected)]);
    }
    const codes = [
      [`${workspace}/missing`, ENOENT],
      [`${workspace}/7`, -20],
      [`${workspace}/link`, -20],
      ['', ENOENT],
      ['/\u0100', EINVAL],
      ['x'.repeat(4096), ENAMETOOLONG],
    ] as const;
    for (const [path, code] of codes) expect(await addOn.listAside(path, new Uint8Array(1 << 16)), path).toBe(code);
    expect(await addOn.listAside(workspace, new Uint8Array(ASIDE_AT - 8))).toBe(EINVAL);
    expect(await addOn.listAside(workspace, new Uint8Array(1 << 16).subarray(4))).toBe(EINVAL);
    for (const length of [0, 8, 100, 2000])
      expect(await addOn.listAside(workspace, new Uint8Array(ASIDE_AT + length))).toBe(NEEDS_LARGER_BUFFER);
  });

  test('copies files between folders, writes only into its buffer, and refuses one that is not valid', async () => {
    const addOn = load(file);
    const { workspace } = world(onTestFinished);
    for (const folder of ['from', 'to']) mkdirSync(`${workspace}/${folder}`);
    const contents = ['', 'x', 'y'.repeat(200_000), 'z'.repeat(65_536)];
    for (const [nth, content] of contents.entries())
      writeFileSync(`${workspace}/from/${nth}`, content, { mode: 0o640 });
    symlinkSync('1', `${workspace}/from/link`);
    const [from, to] = [openSync(`${workspace}/from`, 'r'), openSync(`${workspace}/to`, 'r')];
    const names = ['0', '1', '2', '3', 'missing', 'link'];
    const text = Buffer.from(names.map((name) => `${name}\0`).join(''));
    const scratchAt = 128;
    const outcomesAt = scratchAt + (1 << 16);
    const header = [names.length, 0, 0o22, 48, scratchAt, outcomesAt];
    const length = ASIDE_AT + outcomesAt + names.length * 32;
    const around = Buffer.alloc(length + 8192, 0xa5);
    const given = (change: Readonly<Record<number, number>> = {}, end = length): Uint8Array => {
      around.fill(0xa5);
      const memory = new Uint8Array(around.buffer, around.byteOffset + 4096, end);
      const numbers = new Float64Array(around.buffer, around.byteOffset + 4096 + ASIDE_AT, 6);
      numbers.set(header.map((number, at) => change[at] ?? number));
      around.set(text, 4096 + ASIDE_AT + 48);
      return memory;
    };
    expect(await addOn.copyAside(from, to, given())).toBe(names.length);
    const outcomes = [...new Float64Array(around.buffer, around.byteOffset + 4096 + ASIDE_AT + outcomesAt, 24)];
    const results = names.map((_, nth) => outcomes[nth * 4]);
    expect(results).toEqual([0, 0, 0, 0, ENOENT, -40]);
    for (const [nth, content] of contents.entries()) {
      expect(readFileSync(`${workspace}/to/${nth}`, 'utf8')).toBe(content);
      const [original, copy] = [lstatSync(`${workspace}/from/${nth}`), lstatSync(`${workspace}/to/${nth}`)];
      expect([copy.mode, copy.mtimeMs]).toEqual([original.mode, original.mtimeMs]);
      expect([outcomes[nth * 4 + 2], outcomes[nth * 4 + 3]]).toEqual([original.size, original.ino]);
    }
    expect(around.subarray(0, 4096).every((byte) => byte === 0xa5)).toBe(true);
    expect(around.subarray(4096 + length).every((byte) => byte === 0xa5)).toBe(true);
    // They exist now.
    expect(await addOn.copyAside(from, to, given())).toBe(1);
    expect(readdirSync(`${workspace}/to`)).toHaveLength(contents.length);
    const wrong = [-1, 0.5, Number.NaN, 1e300, Number.POSITIVE_INFINITY, 1 << 30];
    for (const field of [0, 2, 3, 4, 5]) {
      for (const number of wrong) {
        expect(await addOn.copyAside(from, to, given({ [field]: number })), `${field} ${number}`).toBe(EINVAL);
      }
    }
    expect(await addOn.copyAside(from, to, given({}, length - 8))).toBe(EINVAL);
    expect(await addOn.copyAside(from, to, given({ 4: scratchAt + 8 }))).toBe(EINVAL);
    expect(await addOn.copyAside(from, to, given({ 5: outcomesAt - 8 }))).toBe(EINVAL);
    expect(await addOn.copyAside(from, 900_000, given({ 0: 1 }))).toBe(1);
    for (const folder of [from, to]) closeSync(folder);
  });

  test('returns an error for invalid arguments, and continues to work', () => {
    const addOn = load(file);
    const random = seededRandom(seed);
    const detached = new Uint8Array(64);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const odd: readonly unknown[] = [
      [undefined, null, true, Number.NaN, -0.5, 1e300, Number.POSITIVE_INFINITY, -(2 ** 31) - 1, 2 ** 31, 2 ** 53],
      ['', '\0', 'a\0b', '€', '\ud800', 'x'.repeat(4096), 'x'.repeat(1 << 20), '/nothing/there', 5_000_000, 10n],
      [{}, [], Symbol('s'), () => 0, new Proxy({}, {}), new Date(), /x/, new Map(), new Error('x')],
      [new Uint8Array(0), new Uint8Array(7), new Uint8Array(64).subarray(1), detached, new Float64Array(100)],
      [
        new ArrayBuffer(64),
        new SharedArrayBuffer(64),
        new Uint8Array(new SharedArrayBuffer(16)),
        new DataView(new ArrayBuffer(9)),
      ],
    ].flat();
    const names = ['listWithStats', 'listAside', 'copyAside', 'watchAdd', 'watchRemove', 'watchRead', 'close'] as const;
    for (let round = 0; round < 20_000; round++) {
      const name = names[round % names.length]!;
      const given = Array.from({ length: Math.floor(random.next() * 5) }, () => random.pick(odd));
      const answer = addOn[name](...given);
      expect(answer, `${name}, seed ${seed}, round ${round}`).toBeLessThan(0);
    }
    const memory = new Uint8Array(1 << 16);
    expect(addOn.listWithStats()).toBe(EINVAL);
    expect(addOn.listWithStats(-1, '/', memory.subarray(4, 4096))).toBe(EINVAL);
    expect(addOn.listWithStats(-1, '', memory)).toBe(ENOENT);
    expect(addOn.listWithStats(-1, '/\u0100', memory)).toBe(EINVAL);
    expect(addOn.listWithStats(-1, 'x'.repeat(4096), memory)).toBe(ENAMETOOLONG);
    expect(addOn.listWithStats(900_000, 'x', memory)).toBe(EBADF);
    expect(addOn.watchAdd(900_000, '/', 2)).toBe(EBADF);
    expect(addOn.watchAdd(900_000, '/', 0)).toBe(EINVAL);
    expect(addOn.watchRead(900_000, memory)).toBe(EBADF);
    expect(addOn.close(900_000)).toBe(EBADF);
  });

  test('leaves no handle open', () => {
    const addOn = load(file);
    const { workspace } = world(onTestFinished);
    writeFileSync(`${workspace}/file`, '');
    const before = readdirSync('/proc/self/fd').length;
    const memory = new Uint8Array(1 << 16);
    for (let round = 0; round < 100; round++) {
      for (const path of [workspace, `${workspace}/file`, `${workspace}/missing`])
        addOn.listWithStats(-1, path, memory);
      addOn.listWithStats(-1, workspace, memory.subarray(0, 64));
      const watch = addOn.watchInit();
      expect(watch).toBeGreaterThan(2);
      expect(addOn.watchAdd(watch, workspace, 0x100)).toBeGreaterThan(0);
      expect(addOn.watchRead(watch, memory)).toBe(0);
      expect(addOn.close(watch)).toBe(0);
    }
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });
}
