#!/usr/bin/env node
/** Savepoint inside a sandbox: reads one request as JSON from standard input and prints one answer. */
import { readFileSync } from 'node:fs';
import { open } from '@savepoint/core';
import { answerRequest } from '@savepoint/core/frontend';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import { loadAgents } from './agents.ts';
import { asFailure, failureAsJson } from './failure.ts';
import { listenForInterrupts } from './interrupt.ts';
import { writeAll } from './write.ts';

const interrupt = listenForInterrupts();
try {
  const [ports, places, settings] = [nodePorts(), nodePlaces(process.env), nodeSettings(process.env)];
  const { output, status } = await answerRequest(
    readFileSync(0, 'utf8'),
    (given) =>
      open({
        ports,
        places,
        settings,
        ownEntries: async () => (await loadAgents()).ownEntries,
        conversations: async () => (await loadAgents()).conversations({ ports, env: process.env }),
        ...given,
      }),
    interrupt.signal,
  );
  writeAll(1, safeJson(output, 0));
  process.exitCode = status;
} catch (error) {
  const failure = asFailure(error);
  writeAll(2, failureAsJson(failure));
  process.exitCode = failure.code === 'CANCELLED' ? (interrupt.status() ?? failure.exit) : failure.exit;
} finally {
  interrupt.end();
}
