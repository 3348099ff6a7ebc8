// @ts-check
/** Watches the processor time and the memory of a process and of those that it started. Linux only. */
import { readFileSync } from 'node:fs';

const EVERY_MS = 15;
/** Linux counts processor time in hundredths of a second here, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** @typedef {{ cpu: number, peakMb: number }} Used */

export class ProcessTree {
  /** Of each process: what it had used when it was last seen. @type {Map<number, Used>} */
  #seen = new Map();
  #root;
  #timer;

  /** @param {number} root */
  constructor(root) {
    this.#root = root;
    this.#timer = setInterval(() => this.look(), EVERY_MS);
    this.look();
  }

  /** Seconds of all processes since their start. */
  get cpu() {
    this.look();
    return [...this.#seen.values()].reduce((sum, { cpu }) => sum + cpu, 0);
  }

  /** Of the process itself, and of all others that ever ran below it, as if they had run at the same time. */
  get peakMb() {
    const others = [...this.#seen].filter(([pid]) => pid !== this.#root).map(([, { peakMb }]) => peakMb);
    return { own: this.#seen.get(this.#root)?.peakMb ?? 0, others };
  }

  look() {
    for (let pids = [this.#root]; pids.length > 0; ) {
      const pid = /** @type {number} */ (pids.pop());
      try {
        const used = usedBy(pid);
        if (used !== null) this.#seen.set(pid, used);
        pids.push(...childrenOf(pid));
      } catch {
        // It has ended.
      }
    }
  }

  stop() {
    clearInterval(this.#timer);
  }
}

/** @param {number} pid @returns {Used | null} null: it has ended, and was not waited for yet */
function usedBy(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  if (peak === null) return null;
  return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, peakMb: Number(peak[1]) / 1024 };
}

/** @param {number} pid */
function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
}
