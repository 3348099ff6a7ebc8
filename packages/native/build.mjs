#!/usr/bin/env node
// @ts-check
/**
 * Makes the add-on anew: `node packages/native/build.mjs [FILE]`. Its result is committed; nobody compiles it at an
 * installation. The same compiler makes the same bytes. Needs gcc and the kernel's headers (Debian: gcc, linux-libc-dev).
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));

const FLAGS = [
  ['-std=c11', '-O2', '-fPIC', '-shared', '-Wall', '-Wextra', '-Wconversion', '-Wno-sign-conversion', '-Werror'],
  // No library, and nothing of one: neither its headers, nor calls that a compiler makes up, nor its start-up code.
  ['-ffreestanding', '-nostdlib', '-fno-stack-protector', '-fno-asynchronous-unwind-tables', '-fno-builtin'],
  // Sums and products are rounded one after the other, as node does it.
  ['-ffp-contract=off', '-fvisibility=hidden', '-fno-tree-loop-distribute-patterns'],
  // What node does not have shows when it is loaded, not when it is called.
  ['-Wl,-z,now', '-Wl,-z,relro', '-Wl,-z,noexecstack', '-Wl,--build-id=none', '-Wl,--hash-style=gnu', '-Wl,-s'],
].flat();

/** @param {string} to where the add-on shall lie */
export function buildNative(to) {
  const sources = ['module.c', 'list.c'].map((name) => join(HERE, 'src', name));
  execFileSync('gcc', [...FLAGS, '-o', to, ...sources], { stdio: ['ignore', 'inherit', 'pipe'], encoding: 'utf8' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const to = process.argv[2] ?? join(HERE, 'prebuilt', `linux-${process.arch}.node`);
  buildNative(to);
  process.stdout.write(`${to}\n`);
}
