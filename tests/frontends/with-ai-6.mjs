/** Loaded before a program that uses the AI SDK: imports of `ai` resolve to version 6. */
import { register } from 'node:module';

const hooks = "export const resolve = (name, from, next) => next(name.replace(/^ai(?=$|\\/)/, 'ai-6'), from);";
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
