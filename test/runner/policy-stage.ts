import { chmodSync, mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { until } from '../harness/until.js';
import type { Runner } from './runner.js';
import type { RunnerProcess } from './runner-process.js';
import type { RunnerSuite } from './runner-suite.js';

/** An agent on a machine whose policy allows some programs. */
export class PolicyStage {
  readonly home: string;
  readonly policyFile: string;
  deployment!: string;

  private constructor(
    readonly suite: RunnerSuite,
    readonly agent: TestAgent,
    home: string,
  ) {
    this.home = realpathSync(home);
    this.policyFile = join(this.home, 'run.yaml');
    mkdirSync(join(this.home, 'bin'));
    this.program('agent', 'exec sleep 1000');
  }

  /** Deploys an agent. @param config made of the path of the home directory @param rules likewise; null writes no file */
  static async open(
    suite: RunnerSuite,
    config: (home: string) => object,
    rules: (home: string) => object | null = (home) => ({ commands: [join(home, 'bin/*')] }),
  ): Promise<PolicyStage> {
    const { path } = suite.makeHome();
    const home = realpathSync(path);
    const agent = await createAgent(suite.app, suite.person, {
      config: { readiness: { seconds: 0.1 }, restart: { first_delay_seconds: 0.05 }, ...config(home) },
    });
    const stage = new PolicyStage(suite, agent, home);
    stage.allow(rules(home));
    stage.deployment = await deploy(suite.person, agent);
    return stage;
  }

  /** Replaces the policy in one step. */
  allow(rules: object | null): void {
    if (rules === null) return;
    writeFileSync(`${this.policyFile}.new`, JSON.stringify(rules), { mode: 0o644 });
    renameSync(`${this.policyFile}.new`, this.policyFile);
  }

  program(name: string, script: string): string {
    const path = join(this.home, 'bin', name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  run(): Runner {
    return this.suite.run(this.variables, ['--policy', this.policyFile]);
  }

  runProcess(): RunnerProcess {
    return this.suite.runProcess(this.variables, ['--policy', this.policyFile]);
  }

  private get variables() {
    return { HOME: this.home, SERVICE_AGENT_KEY: this.agent.key };
  }

  async read(): Promise<any> {
    return (await this.suite.person.api.get(`/deployments/${this.deployment}`)).body;
  }

  /** Waits until the service shows the deployment with this status. */
  shows(status: string): Promise<any> {
    return until(async () => {
      const shown = await this.read();
      return shown.status === status && shown;
    });
  }

  /** The newest command first. */
  async commands(): Promise<any[]> {
    return (await this.suite.person.api.get(`/deployments/${this.deployment}/commands`)).body;
  }
}

/** The number of the last started process. */
export function pidOf({ events }: Runner): number {
  const started = events.findLast(({ event }) => event === 'replica_started')!;
  return Number(/Process (\d+)/.exec(started.message)![1]);
}
