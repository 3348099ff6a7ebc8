import { expect, it } from 'vitest';
import { ONLY_BY_A_PERSON } from '../../src/engine/shell-call.ts';
import { VERBS } from '../../src/verbs/table.ts';

it('each verb that changes something is either for everybody, or only for a person', () => {
  const everybody = ['bisect', 'bundleRestore', 'check', 'checkpoint', 'edit', 'freeze'];
  // With `--force`, a person must ask for an operation.
  everybody.push(
    'forkCheck',
    'forkClean',
    'forkCreate',
    'forkMerge',
    'forkOpen',
    'forkRun',
    'guardSteps',
    'pin',
    'planCancel',
    'planCheck',
    'planCommit',
    'planNew',
    'planPhases',
    'planRevise',
    'planRollback',
    'planSplit',
    'redo',
    'replay',
    'restore',
    'rollback',
    'scopeAdd',
    'scopeDrop',
    'setTestResult',
    'undo',
  );
  const changing = Object.entries(VERBS).flatMap(([name, { changes }]) => (changes === 'nothing' ? [] : [name]));
  const commands = ['install', 'uninstall'];
  // Not all of `plan apply` and `plan commit`.
  commands.push('planHooks', 'planResolve');
  expect([...everybody, ...Object.keys(ONLY_BY_A_PERSON)].sort()).toEqual([...changing, ...commands].sort());
});
