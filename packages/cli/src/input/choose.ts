/** Asks the user to choose one of several ways on. */
import { SavepointError } from '@savepoint/core';
import { askText } from './ask.ts';

export interface Choice<T> {
  /** One letter. */
  readonly key: string;
  /** What it does, in a few words. */
  readonly label: string;
  readonly value: T;
}

/**
 * Asks until the answer is one of the letters.
 * @param question safe to print
 * @param otherwise what an empty answer, the end of the input, Ctrl-C and a signal mean: the way on that loses nothing
 */
export async function choose<T>(question: string, choices: readonly Choice<T>[], otherwise: Choice<T>): Promise<T> {
  const named = [...choices, otherwise].map(({ key, label }) => `${key} ${label}`).join(', ');
  const keys = [...choices.map(({ key }) => key), otherwise.key.toUpperCase()].join('/');
  for (;;) {
    const answer = await readLine(`${question} ${named} [${keys}]`);
    const typed = answer?.trim().toLowerCase() ?? '';
    const found = [...choices, otherwise].find(({ key, label }) => key === typed || label === typed);
    if (found !== undefined) return found.value;
    if (typed === '') return otherwise.value;
  }
}

/** @returns null at the end of the input, on Ctrl-C, and on a signal that asks the process to end */
export async function readLine(question: string): Promise<string | null> {
  const answer = await askText(question).catch((error: unknown) => {
    if (error instanceof SavepointError && error.code === 'CANCELLED') return null;
    throw error;
  });
  // Without this line break, what is printed next would follow the question.
  if (answer === null) process.stderr.write('\n');
  return answer;
}
