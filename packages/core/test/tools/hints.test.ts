import { expect, it, test } from 'vitest';
import { ERROR_CODES, type ErrorCode, SavepointError } from '../../src/model/errors.ts';
import { hintForModel, textForModel } from '../../src/tools/hints.ts';

/** Codes of commands that are no tools. */
const WITHOUT_TOOL =
  /^(?:BUNDLE_|CHECKPOINT_NEEDED|PURGE_|SANDBOX_|GIT_REFUSED|NEEDS_CONFIRMATION|UNKNOWN_FORK|UNKNOWN_PLAN)/;

test.each((Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => !WITHOUT_TOOL.test(code)))(
  'the hint of %s asks a model for nothing that needs a shell',
  (code) => {
    const hint = hintForModel(new SavepointError(code, 'x', {} as never));
    const [forModel] = hint.split(/[Aa]sk the user/);
    expect(forModel).not.toMatch(/`savepoint |--\w|-C\b|the command/);
  },
);

it.each([
  [
    'Name cp_3 to use it, or run `savepoint repair`.',
    'Name cp_3 to use it, or ask the user to run `savepoint repair`.',
  ],
  ['Run `savepoint show cp_3` to see.', 'Call checkpoint_show cp_3 to see.'],
  ['run `savepoint rollback --change cp_3.1 --dry-run`', 'call checkpoint_diff with change cp_3.1'],
  ['Selectors: --change, --agent', 'Selectors: changes, agent'],
  ['`savepoint repair` moves the file aside.', '`savepoint repair` (a command for the user) moves the file aside.'],
])('%s', (given, expected) => {
  expect(textForModel(given)).toBe(expected);
});
