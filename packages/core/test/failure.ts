import { SavepointError } from '@savepoint/core';
import { expect } from 'vitest';

/** Expects that the work fails with a SavepointError, and returns it. */
export async function failure(work: Promise<unknown>): Promise<SavepointError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SavepointError);
  return error as SavepointError;
}
