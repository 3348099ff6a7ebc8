// A thread that talks to the command host, so that a test can block on an answer.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

const { entry, port, answers, timeoutMs } = workerData;
const host = fileURLToPath(new URL('./host.mjs', import.meta.url));
let child = null;
let timer;

function start() {
  const made = fork(host, [entry], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });
  made.on('message', answer);
  made.on('exit', (status, signal) => {
    child = null;
    answer({ status, signal, stdout: '', stderr: 'The command host ended.\n' });
  });
  return made;
}

function answer(outcome) {
  if (timer === undefined) return;
  clearTimeout(timer);
  timer = undefined;
  port.postMessage(outcome);
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
}

parentPort.on('message', (request) => {
  child ??= start();
  timer = setTimeout(() => child?.kill('SIGKILL'), timeoutMs);
  child.send(request);
});
