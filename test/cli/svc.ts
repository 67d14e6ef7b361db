import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Program } from '../../packages/svc/src/cli/program.js';
import { GOOD_PASSWORD } from '../builders/people.js';
import { collectSecrets, expectNoLastingSecretIn, expectNoSecretIn } from '../harness/secrets-made.js';
import { until } from '../harness/until.js';

export const PROGRAM = 'packages/svc/dist/cli/main.js';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SvcOptions {
  /** On top of a home directory and the service's address; an empty one takes a variable away. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** `svc` as a person has it: a process for each command, and a home directory of its own. */
export class Svc {
  private constructor(
    readonly home: string,
    private readonly url: string,
    private readonly startsProcesses = true,
  ) {}

  static async at(url: string): Promise<Svc> {
    return new Svc(await mkdtemp(join(tmpdir(), 'svc-home-')), url);
  }

  /** Logged in as somebody who is registered. */
  static async loggedIn(url: string, email: string): Promise<Svc> {
    const svc = await Svc.at(url);
    await svc.succeeds(['login', '--email', email], { env: { SERVICE_PASSWORD: GOOD_PASSWORD } });
    return svc;
  }

  /**
   * The same for suites about what commands do. Commands that end by themselves run in this process: one of their own takes
   * a fifth of a second of processor time to start.
   */
  static async loadedFor(url: string, email: string): Promise<Svc> {
    const { home } = await Svc.loggedIn(url, email);
    return new Svc(home, url, false);
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
    const variables = this.variables(env);
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: variables });
    child.stdin.on('error', () => undefined).end(input);
    return new RunningSvc(child, () => this.collectCredentials());
  }

  private variables(more: SvcOptions['env'] = {}): Record<string, string | undefined> {
    const all = { PATH: process.env.PATH, HOME: this.home, SERVICE_API_URL: this.url, ...more };
    collectSecrets(all);
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  }

  /** Remembers the tokens that `svc` got by itself. A test may have made the file unreadable. */
  private collectCredentials(): void {
    try {
      if (existsSync(this.configFile)) collectSecrets(JSON.parse(readFileSync(this.configFile, 'utf8')));
    } catch {
      // Then there are none in it.
    }
  }

  run(args: readonly string[], options?: SvcOptions): Promise<Outcome> {
    return this.startsProcesses ? this.start(args, options).ended() : this.runHere(args, options);
  }

  private async runHere(args: readonly string[], { env, input = '' }: SvcOptions = {}): Promise<Outcome> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const program = new Program({
      streams: { stdin: Readable.from([input]), stdout, stderr },
      environment: this.variables(env),
      interruption: new AbortController().signal,
    });
    const printed = Promise.all([text(stdout), text(stderr)]);
    const code = await program.run(args);
    stdout.end();
    stderr.end();
    const outcome = { code: Number(code), stdout: (await printed)[0], stderr: (await printed)[1] };
    this.collectCredentials();
    expectNoSecretsPrinted(outcome);
    return outcome;
  }

  /** @returns standard output of a command that must end with 0 */
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

function expectNoSecretsPrinted({ stdout, stderr }: Pick<Outcome, 'stdout' | 'stderr'>): void {
  expectNoSecretIn('the standard error of svc', stderr);
  expectNoLastingSecretIn('the standard output of svc', stdout);
}

/** A command that goes on. */
export class RunningSvc {
  stdout = '';
  stderr = '';
  private readonly gone: Promise<number>;
  /** It has ended, and all that it has printed is there. */
  private isOver = false;

  /** @param beforeItsEnd called before the output is held against the secrets that the suite made */
  constructor(
    readonly process: ChildProcess,
    beforeItsEnd: () => void,
  ) {
    process.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    process.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.gone = new Promise((resolve, reject) => {
      process.on('error', reject);
      process.on('close', (code, signal) => {
        this.isOver = true;
        beforeItsEnd();
        try {
          expectNoSecretsPrinted(this);
        } catch (error) {
          return reject(error instanceof Error ? error : new Error('A secret was printed', { cause: error }));
        }
        resolve(code ?? (signal === null ? -1 : -2));
      });
    });
  }

  get lines(): string[] {
    return this.stdout.split('\n').slice(0, -1);
  }

  /** Waits until so many lines have been printed. */
  async prints(count: number): Promise<string[]> {
    await this.comesTo(() => this.lines.length >= count);
    return this.lines;
  }

  /** Waits until standard error has a text in it. */
  async says(text: string): Promise<void> {
    await this.comesTo(() => this.stderr.includes(text));
  }

  private async comesTo(condition: () => boolean): Promise<void> {
    await until(() => {
      if (condition()) return true;
      if (this.isOver) throw new Error(`svc has ended: ${this.stderr}`);
      return false;
    });
  }

  /** The exit code is -2 for a process that a signal has ended. */
  async ended(): Promise<Outcome> {
    const code = await this.gone;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  async interrupted(signal: NodeJS.Signals = 'SIGINT'): Promise<Outcome> {
    this.process.kill(signal);
    return this.ended();
  }
}
