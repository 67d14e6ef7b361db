import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentUnderTest, Launch } from './agent-under-test.js';
import type { AgentEnd } from './evidence.js';

const OUTPUT_LINES = 20;
const LOOK_EVERY_MS = 20;

/** The command can't be started at all. */
export class AgentNotStartedError extends Error {}

/** The agent under test, in a process group of its own. */
export class AgentProcess implements AgentUnderTest {
  end: AgentEnd | null = null;
  private readonly lines: string[] = [];
  private stopped: Promise<boolean> | undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly secret: string,
  ) {}

  /** @param command program and arguments; the secret is removed from its output */
  static launch(command: readonly string[]): Launch {
    return (environment, secret, now) => AgentProcess.start(command, environment, secret, now);
  }

  private static async start(
    [program = '', ...args]: readonly string[],
    environment: Readonly<Record<string, string>>,
    secret: string,
    now: () => number,
  ): Promise<AgentProcess> {
    const child = spawn(program, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const agent = new AgentProcess(child, secret);
    child.once('exit', (code, signal) => (agent.end = { at: now(), code, signal }));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => agent.keep(text));
    }
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw new AgentNotStartedError(
        `${program} can't be started (${(error as NodeJS.ErrnoException).code})`,
      );
    }
    return agent;
  }

  get output(): string {
    return this.lines.join('\n');
  }

  /** Signals the group only once, because another process may have its number later. */
  stop(patienceMs: number): Promise<boolean> {
    return (this.stopped ??= this.stopWithin(patienceMs));
  }

  private async stopWithin(patienceMs: number): Promise<boolean> {
    if (!this.end) this.child.kill('SIGTERM');
    const ended = await this.ends(patienceMs);
    await this.killGroup();
    return ended;
  }

  async kill(): Promise<void> {
    this.stopped ??= Promise.resolve(false);
    await this.killGroup();
  }

  /** Kills the group, including the processes that the agent left in it. */
  private async killGroup(): Promise<void> {
    try {
      process.kill(-this.child.pid!, 'SIGKILL');
    } catch {
      // nothing was left
    }
    await this.ends(Infinity);
  }

  private async ends(patienceMs: number): Promise<boolean> {
    // counted in checks, so that a slow machine has more time
    for (let left = patienceMs; left > 0 && !this.end; left -= LOOK_EVERY_MS) await delay(LOOK_EVERY_MS);
    return this.end !== null;
  }

  private keep(text: string): void {
    this.lines.push(...text.replaceAll(this.secret, '<the key>').trimEnd().split('\n'));
    this.lines.splice(0, this.lines.length - OUTPUT_LINES);
  }
}
