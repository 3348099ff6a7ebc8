/** The input of verbs that make copies. */

import * as z from 'zod';

export const dependencies = z
  .enum(['auto', 'copy', 'link', 'none'])
  .optional()
  .describe('what a copy without an overlay gets of dependency folders; default: the option copy_dependencies');
