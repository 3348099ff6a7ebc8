/** The table of all verbs. */

import { blame } from './changes/blame.ts';
import { deleteSession } from './changes/delete-session.ts';
import { edit } from './changes/edit.ts';
import { freeze, unfreeze } from './changes/freeze.ts';
import { history } from './changes/history.ts';
import { redo } from './changes/redo.ts';
import { rollback } from './changes/rollback.ts';
import { sessions } from './changes/sessions.ts';
import { stats } from './changes/stats.ts';
import { turns } from './changes/turns.ts';
import { undo } from './changes/undo.ts';
import { watch } from './changes/watch.ts';
import { cat } from './checkpoints/cat.ts';
import { checkpoint } from './checkpoints/checkpoint.ts';
import { diff } from './checkpoints/diff.ts';
import { findings } from './checkpoints/findings.ts';
import { list } from './checkpoints/list.ts';
import { map } from './checkpoints/map.ts';
import { pin, unpin } from './checkpoints/pin.ts';
import { restore } from './checkpoints/restore.ts';
import { show } from './checkpoints/show.ts';
import { status } from './checkpoints/status.ts';
import { setTestResult } from './checkpoints/test-result.ts';
import { check, forkCheck } from './checks/check.ts';
import { trust } from './checks/trust.ts';
import { commentAdd, commentDelete, commentList, commentResolve } from './comments/comments.ts';
import { bisect } from './copies/bisect.ts';
import { replay } from './copies/replay.ts';
import { forkClean, forkCreate, forkDrop, forkMerge, forkRun } from './forks/change.ts';
import { forkCompare, forkDiff, forkList, forkOpen, forkShow } from './forks/look.ts';
import { guardOff, guardOn, guardStatus, guardSteps } from './guard/guard.ts';
import { planCommit } from './plans/commit.ts';
import { planCancel, planReview } from './plans/decide.ts';
import { planMode } from './plans/mode.ts';
import { planPolicy } from './plans/policy.ts';
import { planList, planNew, planRevise, planShow } from './plans/propose.ts';
import { planApply, planCheck, planPhases, planRollback } from './plans/run.ts';
import { planSplit } from './plans/split.ts';
import { scopeAdd, scopeDrop, scopeList } from './scope/scope.ts';
import { bundleCreate, bundleExport, bundleRestore } from './share/bundle.ts';
import { exportSession } from './share/export.ts';
import { copies } from './store/copies.ts';
import { drop } from './store/drop.ts';
import { gc } from './store/gc.ts';
import { purge } from './store/purge.ts';
import { recover } from './store/recover.ts';
import { repair } from './store/repair.ts';
import { verify } from './store/verify.ts';
import { config } from './workspace/config.ts';
import { context } from './workspace/context.ts';
import { deleteWorkspace } from './workspace/delete-workspace.ts';
import { linkWorkspace } from './workspace/link-workspace.ts';
import { repos } from './workspace/repos.ts';
import { workspaces } from './workspace/workspaces.ts';

/** In the order of the documentation. */
export const VERBS = {
  status,
  checkpoint,
  list,
  show,
  diff,
  findings,
  map,
  cat,
  history,
  blame,
  sessions,
  turns,
  deleteSession,
  stats,
  watch,
  bisect,
  replay,
  exportSession,
  bundleCreate,
  bundleRestore,
  bundleExport,
  restore,
  rollback,
  edit,
  undo,
  redo,
  forkCreate,
  forkList,
  forkShow,
  forkDiff,
  forkCompare,
  forkOpen,
  forkRun,
  forkCheck,
  forkMerge,
  forkDrop,
  forkClean,
  planNew,
  planList,
  planShow,
  planRevise,
  planPhases,
  planSplit,
  planCheck,
  planReview,
  planApply,
  planCommit,
  planRollback,
  planCancel,
  planPolicy,
  planMode,
  commentAdd,
  commentList,
  commentResolve,
  commentDelete,
  verify,
  recover,
  repair,
  gc,
  drop,
  purge,
  pin,
  unpin,
  setTestResult,
  check,
  trust,
  freeze,
  unfreeze,
  scopeAdd,
  scopeDrop,
  scopeList,
  copies,
  guardOn,
  guardOff,
  guardStatus,
  guardSteps,
  workspaces,
  deleteWorkspace,
  repos,
  context,
  linkWorkspace,
  config,
} as const;
