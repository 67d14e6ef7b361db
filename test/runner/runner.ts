import type { RuntimeEvent } from '@agent-control-plane/client/runtime';
import type { Outcome, RunningSvc } from '../cli/running-svc.js';

/** `svc run`, whose standard output is its events. */
export class Runner<Command extends RunningSvc = RunningSvc> {
  constructor(protected readonly svc: Command) {}

  get events(): RuntimeEvent[] {
    return this.svc.lines.map((line) => JSON.parse(line) as RuntimeEvent);
  }

  /** The process has ended, and all of its output is there. */
  get isOver(): boolean {
    return this.svc.isOver;
  }

  /** Waits for an event. @param after how many of all events came before it @returns the event */
  async next(event: string, after = 0): Promise<RuntimeEvent> {
    const find = () => this.events.slice(after).find((it) => it.event === event);
    await this.svc.comesTo(() => find() !== undefined);
    return find()!;
  }

  count(event: string): number {
    return this.events.filter((it) => it.event === event).length;
  }

  ended(): Promise<Outcome> {
    return this.svc.ended();
  }

  /** Ends it gently. @returns its exit code */
  async end(): Promise<number> {
    return (await this.svc.interrupted()).code;
  }

  /** Ends it when nothing hangs on how. */
  async dismiss(): Promise<void> {
    await this.end();
  }
}
