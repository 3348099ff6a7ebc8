// @ts-check
/**
 * Runs a test file of the copy with one point removed, once per question from judges.mjs. One vitest instance answers
 * all questions, so the code is compiled once. Usage: fork with the folder of the copy as the argument.
 */
import { createVitest } from 'vitest/node';

/**
 * @typedef {object} Question
 * @property {number} out id of the removed point, or -1
 * @property {string} file of the tests, from the top of the copy, with slashes
 */
/**
 * @typedef {object} Answer
 * @property {string | null} failure the first test that failed, with its message
 * @property {number} ms
 * @property {readonly number[]} reached ids of the points that the tests reached
 */

const [copy = ''] = process.argv.slice(2);
const vitest = await createVitest('test', {
  root: copy,
  watch: false,
  bail: 1,
  maxWorkers: 1,
  project: 'quick',
  reporters: [{}],
});
const files = await vitest.globTestSpecifications();
const nameOf = (/** @type {string} */ path) => path.slice(copy.length + 1);

process.on('message', async (/** @type {Question} */ question) => {
  const first = await answer(question);
  // A timeout may be due to a busy machine, so run again. If the removed point caused it, the test fails again.
  const isDoubtful = /timed out/i.test(first.failure ?? '');
  process.send?.(isDoubtful ? await answer(question) : first);
});
process.on('disconnect', () => process.exit());
process.send?.(files.map(({ moduleId }) => nameOf(moduleId)));

/**
 * @param {Question} question
 * @returns {Promise<Answer>}
 */
async function answer({ out, file }) {
  const started = performance.now();
  vitest.provide(/** @type {never} */ ('takenOut'), /** @type {never} */ (out));
  const run = await vitest.runTestSpecifications(files.filter(({ moduleId }) => nameOf(moduleId) === file));
  // The run also contains modules of earlier questions.
  const module = run.testModules.find(({ moduleId }) => nameOf(moduleId) === file);
  const [test] = module?.children.allTests('failed') ?? [];
  const [error] = [...run.unhandledErrors, ...(module?.errors() ?? []), ...(test?.result().errors ?? [])];
  const isGood = module?.ok() === true && error === undefined;
  return {
    failure: isGood ? null : `${file} › ${test?.fullName ?? ''}: ${/** @type {Error} */ (error)?.message}`,
    ms: performance.now() - started,
    reached: /** @type {{ reached?: number[] } | undefined} */ (module?.meta())?.reached ?? [],
  };
}
