import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from '@agent-control-plane/client';
import { assistants } from './assistants.js';
import { HOSTED } from './company.js';
import { type Company, keyOf } from './founding.js';
import { HostedAgent } from './hosted-agent.js';
import type { Kept } from './kept.js';
import { loops } from './loops.js';
import type { Pace } from './pace.js';
import { RunnerProcess } from './runner-process.js';

/** The programs of the agents: those of `svc run` as processes of their own, the others in this one. */
export class Staff {
  private readonly hosted: HostedAgent[] = [];
  private readonly runners = new Map<string, RunnerProcess>();
  /** Why a hosted agent can't go on. */
  private failure: Error | undefined;

  constructor(
    private readonly url: string,
    private readonly kept: Kept,
    private readonly pace: Pace,
  ) {}

  async start(company: Company): Promise<void> {
    const work = assistants(this.pace);
    const looping = loops(this.pace);
    for (const [name, agent] of company.agents) {
      const common = {
        url: this.url,
        key: await keyOf(this.kept, company.ada, agent),
        stateDir: this.stateOf(agent),
      };
      if (!HOSTED.some((it) => it.name === name)) {
        this.runners.set(name, new RunnerProcess({ ...common, logFile: this.logOf(name) }));
        continue;
      }
      const onFailure = (error: Error) => (this.failure ??= error);
      this.hosted.push(new HostedAgent({ ...common, onRun: work[name], loop: looping[name], onFailure }));
    }
  }

  /** @throws Error if a program has ended by itself */
  check(): void {
    if (this.failure) throw this.failure;
    for (const [name, runner] of this.runners)
      if (runner.isOver)
        throw new Error(`svc run of ${name} has ended; its last words are in ${this.logOf(name)}`);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.hosted, ...this.runners.values()].map((each) => each.stop()));
  }

  private stateOf({ id }: Agent): string {
    const folder = join(this.kept.folder, 'agents', id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  private logOf(name: string): string {
    return join(this.kept.folder, `${name}.log`);
  }
}
