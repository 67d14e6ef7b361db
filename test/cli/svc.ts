import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GOOD_PASSWORD } from '../builders/people.js';
import { collectSecrets } from '../harness/secrets-made.js';
import { type Outcome, type RunningSvc, SvcHere, SvcProcess } from './running-svc.js';

export const PROGRAM = 'packages/svc/dist/cli/main.js';

export interface SvcOptions {
  /** Variables in addition to the home directory and the service's address; an empty one removes a variable. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** More may be written to a process after that. */
  readonly keepsInput?: true;
}

/**
 * `svc` with a separate home directory. Commands run in this process by default: a separate process takes a fifth of a
 * second of processor time to start.
 */
export class Svc {
  private constructor(
    readonly home: string,
    private readonly url: string,
  ) {}

  static async at(url: string): Promise<Svc> {
    return new Svc(await mkdtemp(join(tmpdir(), 'svc-home-')), url);
  }

  /** Logged in as a registered person. */
  static async loggedIn(url: string, email: string): Promise<Svc> {
    const svc = await Svc.at(url);
    await svc.succeeds(['login', '--email', email], { env: { SERVICE_PASSWORD: GOOD_PASSWORD } });
    return svc;
  }

  get configFile(): string {
    return join(this.home, '.svc', 'config.json');
  }

  async config(): Promise<any> {
    return JSON.parse(await readFile(this.configFile, 'utf8'));
  }

  async writeConfig(content: unknown): Promise<void> {
    await mkdir(join(this.home, '.svc'), { recursive: true });
    await writeFile(this.configFile, typeof content === 'string' ? content : JSON.stringify(content));
  }

  start(args: readonly string[], { env, input = '' }: SvcOptions = {}): RunningSvc {
    return new SvcHere(args, input, this.variables(env), () => this.collectCredentials());
  }

  /** @param through program that starts it, with arguments; absent: none */
  startProcess(
    args: readonly string[],
    { env, input = '', keepsInput }: SvcOptions = {},
    through: readonly string[] = [],
  ): SvcProcess {
    const [program, ...rest] = [...through, process.execPath, PROGRAM, ...args];
    const child = spawn(program!, rest, { env: this.variables(env) });
    child.stdin.on('error', () => undefined).write(input);
    if (!keepsInput) child.stdin.end();
    return new SvcProcess(child, () => this.collectCredentials());
  }

  private variables(more: SvcOptions['env'] = {}): Record<string, string | undefined> {
    const all = { PATH: process.env.PATH, HOME: this.home, SERVICE_API_URL: this.url, ...more };
    collectSecrets(all);
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  }

  /** Collects the tokens that `svc` got by itself. A test may have made the file unreadable. */
  private collectCredentials(): void {
    try {
      if (existsSync(this.configFile)) collectSecrets(JSON.parse(readFileSync(this.configFile, 'utf8')));
    } catch {
      // an unreadable file has no tokens
    }
  }

  run(args: readonly string[], options?: SvcOptions): Promise<Outcome> {
    return this.start(args, options).ended();
  }

  /** @returns standard output of a command that must exit with 0 */
  async succeeds(args: readonly string[], options?: SvcOptions): Promise<string> {
    const outcome = await this.run(args, options);
    if (outcome.code !== 0)
      throw new Error(`svc ${args.join(' ')} ended with ${outcome.code}: ${outcome.stderr}`);
    return outcome.stdout;
  }

  async json(args: readonly string[], options?: SvcOptions): Promise<any> {
    return JSON.parse(await this.succeeds([...args, '--output', 'json'], options));
  }

  async removeHome(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }
}
