// A thread that takes checkpoints as the command does, one after the other, and each as if it were a process of its own.
import { parentPort } from 'node:worker_threads';
import { open, VERBS } from '@savepoint/core';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';

parentPort.on('message', async ({ dir, env, answer, isThere }) => {
  try {
    const savepoint = open({
      dir: Buffer.from(dir).toString('latin1'),
      ports: nodePorts(),
      places: nodePlaces(env),
      settings: nodeSettings(env),
    });
    const { checkpoint } = await VERBS.checkpoint.handle(savepoint, {}, {});
    savepoint.close();
    answer.postMessage({ id: checkpoint.id });
  } catch (error) {
    answer.postMessage({ failure: error instanceof Error ? error.stack : String(error) });
  }
  Atomics.store(isThere, 0, 1);
  Atomics.notify(isThere, 0);
});
