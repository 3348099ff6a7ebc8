import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that run long. Without the durations of an earlier run, vitest starts with the largest file. */
const LONG =
  /(crash\/(failing-calls|power-cut|pending|taken-back|missing-root)|together\/(writer|processes|edit-conflicts)|hostile\/(environment|repository)|complaints\/(a-loss|c-slowness|g-agents)|frontends\/(mcp|mcp-edit|mcp-roots|terminal|tour)|daemon\/(killed|life)|edit\/many-files|remote\/remote-savepoint|workspace\/(adoption\/adoption|scan\/incremental)|agents\/test\/claude|store\/crash)\.test\.ts$/;

/** Starts with the longest files, so that none of them is left to run alone at the end. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [
      ...sorted.filter(({ moduleId }) => LONG.test(moduleId)),
      ...sorted.filter(({ moduleId }) => !LONG.test(moduleId)),
    ];
  }
}
