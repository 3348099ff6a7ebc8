import { describeConversationInsideRun, describeInsideRun } from '../../agents/inside-run.ts';
import { interactiveClaude } from '../../agents/interactive.ts';

describeInsideRun(interactiveClaude);
describeConversationInsideRun(interactiveClaude);
