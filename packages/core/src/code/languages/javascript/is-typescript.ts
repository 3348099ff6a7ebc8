/** Whether a file is TypeScript, by its name. */
export function isTypeScript(path: string): boolean {
  return /\.[cm]?tsx?$/.test(path);
}
