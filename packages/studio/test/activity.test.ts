import { expect, it } from 'vitest';
import { Activity } from '../server/activity.ts';

const IDLE_MS = 20;

const waited = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function watched() {
  let isIdle = false;
  let became = (): void => undefined;
  const idle = new Promise<void>((resolve) => {
    became = () => {
      isIdle = true;
      resolve();
    };
  });
  return { activity: new Activity(IDLE_MS, () => became()), idle, isIdle: () => isIdle };
}

it('is not idle while a request is open, and is some time after the last one', async () => {
  const { activity, idle, isIdle } = watched();
  const [first, second] = [activity.begin(), activity.begin()];
  await waited(3 * IDLE_MS);
  first();
  first();
  await waited(3 * IDLE_MS);
  expect(isIdle()).toBe(false);
  second();
  await idle;
});

it('is idle if no request ever came', async () => {
  await watched().idle;
});

it('waits for nothing once it is stopped, whatever ends after that', async () => {
  const { activity, isIdle } = watched();
  const end = activity.begin();
  activity.stop();
  end();
  await waited(3 * IDLE_MS);
  expect(isIdle()).toBe(false);
});
