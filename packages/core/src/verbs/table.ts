/** The table of verbs: all that Savepoint can be asked to do. */
import { bundleCreate, bundleExport, bundleRestore } from './bundle.ts';
import { checkpoint } from './checkpoint.ts';
import { config } from './config.ts';
import { context } from './context.ts';
import { deleteSession } from './delete-session.ts';
import { diff } from './diff.ts';
import { edit } from './edit.ts';
import { exportSession } from './export.ts';
import { freeze, unfreeze } from './freeze.ts';
import { gc } from './gc.ts';
import { history } from './history.ts';
import { linkWorkspace } from './link-workspace.ts';
import { list } from './list.ts';
import { pin, unpin } from './pin.ts';
import { purge } from './purge.ts';
import { recover } from './recover.ts';
import { redo } from './redo.ts';
import { repos } from './repos.ts';
import { restore } from './restore.ts';
import { rollback } from './rollback.ts';
import { sessions } from './sessions.ts';
import { show } from './show.ts';
import { stats } from './stats.ts';
import { status } from './status.ts';
import { undo } from './undo.ts';
import { verify } from './verify.ts';
import { workspaces } from './workspaces.ts';

/** In the order in which they are documented. */
export const VERBS = {
  status,
  checkpoint,
  list,
  show,
  diff,
  history,
  sessions,
  deleteSession,
  stats,
  exportSession,
  bundleCreate,
  bundleRestore,
  bundleExport,
  restore,
  rollback,
  edit,
  undo,
  redo,
  verify,
  recover,
  gc,
  purge,
  pin,
  unpin,
  freeze,
  unfreeze,
  workspaces,
  repos,
  context,
  linkWorkspace,
  config,
} as const;
