#!/usr/bin/env node
// @ts-check
/**
 * Rebuilds the add-on: `node packages/native/build.mjs [FILE]`. The result is committed, so installation compiles
 * nothing. The same compiler produces the same bytes. Needs gcc and the kernel headers (Debian: gcc, linux-libc-dev).
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));

const FLAGS = [
  ['-std=c11', '-O2', '-fPIC', '-shared', '-Wall', '-Wextra', '-Wconversion', '-Wno-sign-conversion', '-Werror'],
  // No C library: none of its headers, no library calls added by the compiler, no start-up code.
  ['-ffreestanding', '-nostdlib', '-fno-stack-protector', '-fno-asynchronous-unwind-tables', '-fno-builtin'],
  // Rounds after each operation, as node does.
  ['-ffp-contract=off', '-fvisibility=hidden', '-fno-tree-loop-distribute-patterns'],
  // A symbol that node lacks fails at load time, not at the first call.
  ['-Wl,-z,now', '-Wl,-z,relro', '-Wl,-z,noexecstack', '-Wl,--build-id=none', '-Wl,--hash-style=gnu', '-Wl,-s'],
].flat();

/** @param {string} to where to write the add-on */
export function buildNative(to) {
  const sources = ['module.c', 'list.c', 'copy.c'].map((name) => join(HERE, 'src', name));
  execFileSync('gcc', [...FLAGS, '-o', to, ...sources], { stdio: ['ignore', 'inherit', 'pipe'], encoding: 'utf8' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const to = process.argv[2] ?? join(HERE, 'prebuilt', `linux-${process.arch}.node`);
  buildNative(to);
  process.stdout.write(`${to}\n`);
}
