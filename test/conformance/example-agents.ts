import type { AgentUnderTest, Launch } from '../../packages/conformance/src/agent-under-test.js';
import type { AgentEnd } from '../../packages/conformance/src/evidence.js';
import { type ExampleAgent, startExampleAgent } from './example-agent/example-agent.mjs';

const LOOK_EVERY_MS = 20;

/** The example agent in this process: dozens of them cost no more than one process. */
class InProcessAgent implements AgentUnderTest {
  end: AgentEnd | null = null;

  constructor(
    private readonly agent: ExampleAgent,
    now: () => number,
  ) {
    void agent.ended.then(
      (code) => (this.end = { at: now(), code, signal: code === null ? 'SIGKILL' : null }),
    );
  }

  get output(): string {
    return this.agent.output;
  }

  async stop(patienceMs: number): Promise<boolean> {
    if (!this.end) this.agent.terminate();
    for (let left = patienceMs; left > 0 && !this.end; left -= LOOK_EVERY_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const endedByItself = this.end !== null;
    await this.kill();
    return endedByItself;
  }

  async kill(): Promise<void> {
    this.agent.kill();
    await this.agent.ended;
  }
}

/** @param traits names of faults, and of other correct behaviours */
export function exampleAgent(...traits: string[]): Launch {
  return (environment, _secret, now) =>
    Promise.resolve(new InProcessAgent(startExampleAgent(environment, traits), now));
}
