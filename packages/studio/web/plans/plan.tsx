/** The review of one plan: what it is for, what its checks say, and its changes, each accepted or rejected. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { ChangedFiles } from '../changes/changed-files.tsx';
import { useComments } from '../comments/use-comments.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { type DiffFile, diffFiles } from '../diff/diff-file.ts';
import { LayoutChoice } from '../diff/layout-choice.tsx';
import type { PatchHunk } from '../diff/patch.ts';
import { useSideKey } from '../diff/use-side-key.ts';
import { Failure, Loading } from '../parts/message.tsx';
import { Review } from '../review/review.tsx';
import type { ReviewSearch } from '../review/search.ts';
import { usePlaces } from '../review/use-places.ts';
import { type Command, useCommands } from '../shell/keys.ts';
import { DecisionButtons, DecisionTag } from './decision-buttons.tsx';
import {
  decisionOf,
  fileDecision,
  hunksInOrder,
  isOpen,
  plannedByFile,
  type ShownPlan,
  targetsOf,
} from './decisions.ts';
import { usePlanFindings } from './plan-findings.ts';
import { PlanHead } from './plan-head.tsx';
import { PlanNotes } from './plan-notes.tsx';
import type { PlanSearch } from './search.ts';
import { type PlanActs, usePlanActs } from './use-plan-acts.ts';

export function Plan() {
  const { plan: id } = useParams({ from: '/w/$workspace/plans/$plan' });
  const { data: plan, error, refetch } = useVerb('planShow', { id, patch: true }, { keepsLast: true });
  const acts = usePlanActs(plan);
  const search = useSearch({ from: '/w/$workspace/plans/$plan' });
  const set = useSetSearch(id);
  const isSideBySide = search.sides === 'two';
  const onSides = useCallback((wanted: 'two' | undefined) => set({ sides: wanted }), [set]);
  useSideKey(isSideBySide, onSides);
  if (error !== null && plan === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (plan === undefined) return <Loading what="the plan" />;
  return (
    <>
      <PlanHead plan={plan} acts={acts} layout={<LayoutChoice isSideBySide={isSideBySide} onSides={onSides} />} />
      <PlanNotes plan={plan} acts={acts} />
      <PlanChanges key={plan.id} plan={plan} acts={acts} search={search} onChange={set} />
    </>
  );
}

interface PlanChangesProps {
  readonly plan: ShownPlan;
  readonly acts: PlanActs;
  readonly search: PlanSearch;
  readonly onChange: SetView;
}

function PlanChanges({ plan, acts, search, onChange }: PlanChangesProps) {
  const toFile = useCallback((key: string) => onChange({ file: key, line: undefined, side: undefined }), [onChange]);
  const files = useStableFiles(plan);
  const { target, onPlace } = usePlaces(files, search, onChange);
  const { state, known, byLine } = usePlanFindings(plan);
  const planned = useMemo(() => plannedByFile(plan), [plan]);
  const comments = useComments({ plan: plan.id });
  const current = useReviewKeys(files, planned, isOpen(plan) ? acts : null);
  const canBeDecided = isOpen(plan);
  const canDecide = canBeDecided && !acts.isBusy;
  const fileActs = useCallback(
    (one: DiffFile) => {
      const change = planned.get(one.key);
      if (change === undefined) return null;
      if (!canBeDecided) return <DecisionTag decision={fileDecision(change)} />;
      const target = [{ path: change.path, hunk: null }];
      return (
        <DecisionButtons
          what={one.title}
          decision={fileDecision(change)}
          isEnabled={canDecide}
          onDecide={(accepted) => acts.decide(target, accepted)}
        />
      );
    },
    [planned, canBeDecided, canDecide, acts],
  );
  const hunkActs = useCallback(
    (one: DiffFile, hunk: PatchHunk) => {
      const change = planned.get(one.key);
      const targets = targetsOf(change, hunk);
      if (one.hunks.length <= 1 || targets.length === 0) return null;
      if (!canBeDecided) return <DecisionTag decision={decisionOf(change, targets)} />;
      return (
        <DecisionButtons
          what={`lines ${hunk.after[0]} to ${hunk.after[0] + Math.max(0, hunk.after[1] - 1)} of ${one.title}`}
          decision={decisionOf(change, targets)}
          isEnabled={canDecide}
          onDecide={(accepted) => acts.decide(targets, accepted)}
        />
      );
    },
    [planned, canBeDecided, canDecide, acts],
  );
  const source = useMemo(() => ({ plan: plan.id, state: 'selected' as const }), [plan.id]);
  const hasHunkActs = useCallback((one: DiffFile) => one.hunks.length > 1, []);
  return (
    <Review
      search={search}
      onSearch={onChange}
      changes={plan.changes}
      state={state}
      known={known}
      byLine={byLine}
      target={target}
      source={source}
      of={plan.fingerprint}
      onPlace={onPlace}
    >
      <ChangedFiles
        of={plan.id}
        files={files}
        from={plan.base}
        to={null}
        plan={plan.id}
        hasAuthors={false}
        isSideBySide={search.sides === 'two'}
        file={search.file}
        target={target}
        onFile={toFile}
        currentHunk={current ?? undefined}
        findings={byLine}
        fileActs={fileActs}
        hasHunkActs={hasHunkActs}
        hunkActs={hunkActs}
        comments={comments}
      />
    </Review>
  );
}

/** Changes how the plan is shown; undefined removes a field from the address. */
type SetView = (change: ReviewSearch & { readonly file?: string; readonly sides?: 'two' | undefined }) => void;

function useSetSearch(plan: string): SetView {
  const navigate = useNavigate();
  const { id: workspace } = useWorkspace();
  return useCallback(
    (change) =>
      void navigate({
        to: '/w/$workspace/plans/$plan',
        params: { workspace, plan },
        search: (now: PlanSearch) =>
          Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value !== undefined)) as never,
        replace: true,
      }),
    [navigate, workspace, plan],
  );
}

/** Decisions change the plan, but not what it proposes: the same revision keeps its lines, and where the page is. */
function useStableFiles(plan: ShownPlan): readonly DiffFile[] {
  const { id, revision } = plan;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the proposed contents are those of the revision
  return useMemo(() => diffFiles(plan.changes, plan.patch), [id, revision]);
}

type Planned = ReturnType<typeof plannedByFile>;

/** n and p go from hunk to hunk; a and r decide about it, A and R about its file. @param acts null: nothing can be decided */
function useReviewKeys(files: readonly DiffFile[], planned: Planned, acts: PlanActs | null): PatchHunk | null {
  const [at, setAt] = useState(-1);
  const hunks = useMemo(() => hunksInOrder(files), [files]);
  const commands = useMemo<readonly Command[]>(() => {
    const current = hunks[at];
    const change = current === undefined ? undefined : planned.get(current.file.key);
    const last = hunks.length - 1;
    const move: readonly Command[] = [
      { keys: 'n', label: 'Next part of the plan', run: () => setAt(Math.min(last, at + 1)) },
      { keys: 'p', label: 'Previous part of the plan', run: () => setAt(Math.max(0, at - 1)) },
    ];
    if (acts === null) return move;
    const decide = (accepted: boolean): void => {
      if (current === undefined || change === undefined) return;
      acts.decide(targetsOf(change, current.hunk), accepted);
      setAt(Math.min(last, at + 1));
    };
    const decideFile = (accepted: boolean): void => {
      if (change !== undefined) acts.decide([{ path: change.path, hunk: null }], accepted);
    };
    return [
      ...move,
      { keys: 'a', label: 'Accept this part', run: () => decide(true) },
      { keys: 'r', label: 'Reject this part', run: () => decide(false) },
      { keys: 'A', label: 'Accept the whole file', run: () => decideFile(true) },
      { keys: 'R', label: 'Reject the whole file', run: () => decideFile(false) },
    ];
  }, [hunks, at, planned, acts]);
  useCommands(commands);
  return hunks[at]?.hunk ?? null;
}
