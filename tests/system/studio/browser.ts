/** A real browser on the real page, served by the real command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { main, type Project } from '@savepoint/testkit/command';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

export interface OpenedPage {
  readonly page: Page;
  /** The address of the workspace, to which the name of a view is added. */
  readonly base: string;
  /** What the browser reported: errors of scripts, and what the content policy refused. */
  readonly errors: readonly string[];
  /** Kills the server as a crash does, and starts it again. */
  readonly restart: () => Promise<void>;
}

/** Debian's package; `.ci/packages.txt` lists it. */
const CHROMIUM = process.env['SAVEPOINT_TEST_CHROMIUM'] ?? '/usr/bin/chromium';

let browser: Promise<Browser> | null = null;

afterAll(async () => {
  await (await browser)?.close();
  browser = null;
});

/**
 * Starts `savepoint studio` for a project and opens it; both end with the calling test.
 * @param args of the command
 */
export async function openStudio(
  p: Project,
  options: BrowserContextOptions = {},
  args: readonly string[] = [],
): Promise<OpenedPage> {
  const { address, child } = await startStudio(p, args);
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('dialog', (dialog) => errors.push(`a dialog: ${dialog.message()}`));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(address);
  await page.waitForURL(/\/w\/[^/]+\/timeline/);
  const restart = async (): Promise<void> => {
    await end(child, 'SIGKILL');
    await startStudio(p, args);
  };
  return { page, base: page.url().replace(/\/timeline.*$/, ''), errors, restart };
}

async function startStudio(
  p: Project,
  args: readonly string[],
): Promise<{ readonly address: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [main, 'studio', '--no-open', '--json', ...args], {
    cwd: p.dir,
    env: p.environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => end(child));
  let printed = '';
  for await (const part of child.stdout) {
    printed += String(part);
    if (printed.includes('\n')) break;
  }
  const { open } = JSON.parse(printed.split('\n')[0] ?? '') as { readonly open: string };
  return { address: open, child };
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}
