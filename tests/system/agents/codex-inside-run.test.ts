import { describeConversationInsideRun, describeInsideRun } from '../../agents/inside-run.ts';
import { interactiveCodex } from '../../agents/interactive.ts';

describeInsideRun(interactiveCodex);
describeConversationInsideRun(interactiveCodex);
