/** Ends this process if it exceeds its limits, or if the process that started it no longer can end it. */
import { Worker } from 'node:worker_threads';
import { OUT_OF_MEMORY } from '../../type-checker.ts';

const LOOK_MS = 500;

/**
 * The program of a thread, because the compiler may block its own thread forever. SIGKILL also ends the compiler of
 * TypeScript 7: its standard input is closed then.
 */
const PROGRAM = `
const { writeSync } = require('node:fs');
const { workerData: { parent, timeoutMs, maxMemory, lookMs, message } } = require('node:worker_threads');
const end = Date.now() + timeoutMs;
setInterval(() => {
  const isTooLarge = process.memoryUsage.rss() > maxMemory;
  if (process.ppid === parent && Date.now() < end && !isTooLarge) return;
  if (isTooLarge) writeSync(2, message);
  process.kill(process.pid, 'SIGKILL');
}, lookMs);
`;

export function enforceLimits(limits: { readonly timeoutMs: number; readonly maxMemory: number }): void {
  const { timeoutMs, maxMemory } = limits;
  const workerData = { parent: process.ppid, timeoutMs, maxMemory, lookMs: LOOK_MS, message: OUT_OF_MEMORY };
  new Worker(PROGRAM, { eval: true, workerData, execArgv: [], env: {} }).unref();
}
