import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The agent as a process of its own. It gets its key in the environment, which no process list shows. */
export class AgentProcess {
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;

  constructor(url: string, key: string) {
    this.child = spawn(process.execPath, [fileURLToPath(new URL('agent.js', import.meta.url))], {
      env: { ...process.env, SERVICE_API_URL: url, AGENT_API_KEY: key },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
  }

  kill(): void {
    this.child.kill();
  }
}
