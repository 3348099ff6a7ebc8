/** An error that the base does not have. */

import type { CheckerError } from '../../io/type-checker.ts';
import type { TreePath } from '../../model/names.ts';

export interface NewError extends Omit<CheckerError, 'related'> {
  readonly path: TreePath;
  readonly related: readonly { readonly path: TreePath; readonly line: number | null; readonly message: string }[];
}
