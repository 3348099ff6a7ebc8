// @ts-check
/**
 * Runs one test file of the copy with one point taken out, as often as it is asked to (by judges.mjs): the same vitest
 * serves all questions, so the code is compiled once. Usage: fork with the folder of the copy as the argument.
 */
import { createVitest } from 'vitest/node';

/**
 * @typedef {object} Question
 * @property {number} out id of the point that is taken out, or -1
 * @property {string} file of the tests, from the top of the copy, with slashes
 */
/**
 * @typedef {object} Answer
 * @property {string | null} failure the first test that failed, and how
 * @property {number} ms
 * @property {readonly number[]} reached ids of the points that the tests came to
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
  // A busy machine makes tests slow; what is taken out makes them fail again.
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
  // Those of earlier questions are among them.
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
