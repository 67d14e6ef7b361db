import { join } from 'node:path';
import { type Person, registerPerson } from '../builders/people.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { makeHome, RunnerProcess } from './runner-process.js';

/** The program of which the agents' processes are made. */
export const FIXTURE = join(import.meta.dirname, 'fixture-agent.mjs');

/** The service, somebody who has agents, and whatever a suite starts or writes for them. */
export class RunnerSuite {
  private readonly homes: { remove(): void }[] = [];
  private readonly runners: RunnerProcess[] = [];

  private constructor(
    readonly app: TestApp,
    readonly person: Person,
  ) {}

  static async open(): Promise<RunnerSuite> {
    const settings = { HEARTBEAT_INTERVAL_SECONDS: '1', COMMAND_LEASE_SECONDS: '5' };
    const app = await startTestApp({ settings });
    return new RunnerSuite(app, await registerPerson(app));
  }

  /** @param ending how a runner ends that is still there */
  async close(ending = (runner: RunnerProcess): Promise<unknown> => runner.dismiss()): Promise<void> {
    await Promise.all(this.runners.map(ending));
    for (const home of this.homes) home.remove();
    await this.app.close();
  }

  /** A home directory; it is removed in the end. */
  makeHome() {
    const home = makeHome();
    this.homes.push(home);
    return home;
  }

  /** Starts `svc run` for this service. @param variables `HOME` and `SERVICE_AGENT_KEY` at least */
  run(
    variables: Readonly<Record<string, string>>,
    args: readonly string[] = [],
    through: readonly string[] = [],
  ): RunnerProcess {
    const runner = RunnerProcess.start({ SERVICE_API_URL: this.app.url, ...variables }, args, through);
    this.runners.push(runner);
    return runner;
  }
}
