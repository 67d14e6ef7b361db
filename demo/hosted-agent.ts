import { AgentRuntime, type RunHandler } from '@agent-control-plane/client/runtime';
import type { Loop } from './loops.js';

export interface HostedAgentOptions {
  readonly url: string;
  readonly key: string;
  readonly stateDir: string;
  /** Either this or `loop`. */
  readonly onRun: RunHandler | undefined;
  readonly loop: Loop | undefined;
  /** Told once, if the agent can't go on. */
  readonly onFailure: (error: Error) => void;
}

/** An agent that lives in this process, beside others. */
export class HostedAgent {
  private readonly runtime: AgentRuntime;
  /** Aborted when the loop is to end. */
  private looping = new AbortController();

  constructor({ url: baseUrl, key, stateDir, onRun, loop, onFailure }: HostedAgentOptions) {
    this.runtime = new AgentRuntime({
      baseUrl,
      key,
      stateDir,
      version: '1.0.0',
      // what they do is interrupted by a Ctrl-C, and nobody waits for it
      runGraceMs: 500,
      ...(onRun && { onRun, concurrency: 3 }),
      ...(loop && {
        apply: async ({ deploymentId, phase, replicas }) => {
          this.looping.abort();
          this.looping = new AbortController();
          if (phase !== 'running' || replicas === 0) return;
          loop(this.runtime, this.looping.signal).catch(() => undefined);
          this.runtime.report(deploymentId, { readyReplicas: replicas });
        },
        end: async () => this.looping.abort(),
      }),
    });
    this.runtime.run().catch(onFailure);
  }

  async stop(): Promise<void> {
    await this.runtime.stop();
  }
}
