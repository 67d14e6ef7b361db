import { setTimeout as delay } from 'node:timers/promises';
import type { AgentUnderTest, Launch } from '../../packages/conformance/src/agent-under-test.js';
import type { AgentEnd } from '../../packages/conformance/src/evidence.js';
import { SvcHere } from '../cli/running-svc.js';

const LOOK_EVERY_MS = 20;

/** `svc run` in this process: twenty of them cost no more than one process. It can't be killed. */
class SvcRunHere implements AgentUnderTest {
  end: AgentEnd | null = null;
  private readonly svc: SvcHere;

  constructor(
    environment: Readonly<Record<string, string>>,
    private readonly secret: string,
    now: () => number,
  ) {
    const args = ['run', '--state-dir', `${environment.CONFORMANCE_DIRECTORY}/state`];
    this.svc = new SvcHere(args, '', { ...process.env, ...environment }, () => undefined);
    void this.svc.ended().then(({ code }) => (this.end = { at: now(), code, signal: null }));
  }

  get output(): string {
    return `${this.svc.stdout}${this.svc.stderr}`.replaceAll(this.secret, '<the key>');
  }

  async stop(patienceMs: number): Promise<boolean> {
    const ended = this.svc.interrupted();
    for (let left = patienceMs; left > 0 && !this.end; left -= LOOK_EVERY_MS) await delay(LOOK_EVERY_MS);
    const endedByItself = this.end !== null;
    await ended;
    return endedByItself;
  }

  kill(): Promise<void> {
    throw new Error('What runs in this process can not be killed: play the scenario to a process');
  }
}

export const svcRunHere: Launch = (environment, secret, now) =>
  Promise.resolve(new SvcRunHere(environment, secret, now));
