import { join } from 'node:path';
import { type Person, registerPerson } from '../builders/people.js';
import { SvcHere } from '../cli/running-svc.js';
import { collectSecrets } from '../harness/secrets-made.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { Runner } from './runner.js';
import { makeHome, RunnerProcess } from './runner-process.js';

/** The program of which the agents' processes are made. */
export const FIXTURE = join(import.meta.dirname, 'fixture-agent.mjs');

type Variables = Readonly<Record<string, string>>;

/** The service, a person who has agents, and whatever a suite starts or writes for them. */
export class RunnerSuite {
  private readonly homes: { remove(): void }[] = [];
  private readonly runners: Runner[] = [];

  private constructor(
    readonly app: TestApp,
    readonly person: Person,
  ) {}

  /** @param more settings of the service */
  static async open(more: Readonly<Record<string, string>> = {}): Promise<RunnerSuite> {
    const settings = { HEARTBEAT_INTERVAL_SECONDS: '1', COMMAND_LEASE_SECONDS: '5', ...more };
    const app = await startTestApp({ settings });
    return new RunnerSuite(app, await registerPerson(app));
  }

  async close(): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.dismiss()));
    for (const home of this.homes) home.remove();
    await this.app.close();
  }

  /** A home directory; it is removed in the end. */
  makeHome() {
    const home = makeHome();
    this.homes.push(home);
    return home;
  }

  /** `svc run` for this service, in this process. @param variables `HOME` and `SERVICE_AGENT_KEY` at least */
  run(variables: Variables, args: readonly string[] = []): Runner {
    const command = new SvcHere(['run', ...args], '', this.environment(variables), () => undefined);
    return this.kept(new Runner(command));
  }

  /** The same in a process of its own, for what only a process has: signals, a death, a PID namespace. */
  runProcess(
    variables: Variables,
    args: readonly string[] = [],
    through: readonly string[] = [],
  ): RunnerProcess {
    return this.kept(RunnerProcess.start(this.environment(variables), args, through));
  }

  private kept<Kind extends Runner>(runner: Kind): Kind {
    this.runners.push(runner);
    return runner;
  }

  private environment(variables: Variables): Record<string, string | undefined> {
    const all = { PATH: process.env.PATH, SERVICE_API_URL: this.app.url, ...variables };
    collectSecrets(all);
    return all;
  }
}
