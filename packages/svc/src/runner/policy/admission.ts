import { userInfo } from 'node:os';
import type { ProcessConfig } from '../processes/process-config.js';
import { PolicyFile } from './policy-file.js';
import {
  type Account,
  accountRefusals,
  type AskedWork,
  judgeCommand,
  refusalsOf,
} from './policy-refusals.js';
import { absolute, walked } from './program-path.js';
import { RefusedStartError } from './refused-start.js';
import type { RunPolicy } from './run-policy.js';
import type { WalkedPath } from './walked-path.js';

const ROOT = 0;

/** A command as it is to be started: a policy that was asked has named its files. */
export type AdmittedStart = Pick<ProcessConfig, 'command' | 'cwd'>;

/** The files to start for a command. @throws RefusedStartError */
export type Admit = (command: ProcessConfig['command'], env: NodeJS.ProcessEnv) => AdmittedStart;

/** Asks the policies of this machine before anything is started. They are read again each time. */
export class Admission {
  private readonly asked = new Map<string, AskedWork>();
  private readonly trusted = new Set([ROOT, process.geteuid!()]);

  /** @param account the one under which processes run */
  constructor(
    private readonly files: readonly PolicyFile[],
    private readonly account: Account = runnersOwn(),
  ) {}

  /** @param given the file of `--policy` */
  static of(given: string | undefined, account?: Account): Admission {
    const files = [PolicyFile.ofMachine(), ...(given === undefined ? [] : [PolicyFile.given(given)])];
    return new Admission(files, account);
  }

  /** The files that are there. @throws PolicyFileError */
  present(): string[] {
    return this.policies().map(({ path }) => path);
  }

  /**
   * Remembers what a deployment is to start. @throws RefusedStartError if a policy refuses it
   *
   * @param env the variables of its processes
   */
  take(deploymentId: string, asked: AskedWork, env: NodeJS.ProcessEnv): void {
    this.asked.set(deploymentId, asked);
    const refusals = this.refusals(asked, env);
    if (refusals.length > 0) throw new RefusedStartError(refusals.join('; '));
  }

  forget(deploymentId: string): void {
    this.asked.delete(deploymentId);
  }

  /**
   * The files to start for a command of a deployment. They are those that were judged, whatever PATH or a link says a moment later.
   *
   * @throws RefusedStartError
   */
  admit(deploymentId: string, command: ProcessConfig['command'], env: NodeJS.ProcessEnv): AdmittedStart {
    const asked = this.asked.get(deploymentId)!;
    let start: AdmittedStart = { command, cwd: asked.process.cwd };
    for (const named of this.policies()) {
      const { refusals, cwd, programs } = this.judge(named, asked, [command], env);
      if (refusals.length > 0) throw new RefusedStartError(refusal(named.path, refusals));
      const [, ...given] = command;
      start = {
        command: programs[0] === undefined ? start.command : [programs[0], ...given],
        cwd: asked.process.cwd === undefined ? undefined : cwd,
      };
    }
    return start;
  }

  /** A sentence for each policy that refuses it. @throws PolicyFileError */
  refusals(asked: AskedWork, env: NodeJS.ProcessEnv): string[] {
    const { command, readiness } = asked.process;
    const commands = readiness.kind === 'command' ? [command, readiness.command] : [command];
    return this.policies().flatMap((named) => {
      const { refusals } = this.judge(named, asked, commands, env);
      return refusals.length > 0 ? refusal(named.path, refusals) : [];
    });
  }

  /** @throws RefusedStartError if nothing may be started: a policy refuses the account, or can't be used */
  assertAccount(): void {
    for (const { path, policy } of this.policies()) {
      const refusals = accountRefusals(policy, this.account);
      if (refusals.length > 0) throw new RefusedStartError(refusal(path, refusals));
    }
  }

  private policies(): NamedPolicy[] {
    return this.files.flatMap((file) => {
      const policy = file.read();
      return policy ? { path: file.path, policy } : [];
    });
  }

  private judge(
    { policy }: NamedPolicy,
    asked: AskedWork,
    commands: readonly ProcessConfig['command'][],
    env: NodeJS.ProcessEnv,
  ): { readonly refusals: string[]; readonly cwd?: string; readonly programs: string[] } {
    const directory = this.directoryOf(asked.process.cwd);
    if (!directory?.stat.isDirectory()) return { refusals: ['config.cwd is not a directory'], programs: [] };
    const cwd = directory.file;
    const place = { cwd, env, account: this.account, trusted: this.trusted };
    const rules = policy.commands;
    const judged = rules ? commands.map((command) => judgeCommand(rules, command, place)) : [];
    return {
      refusals: [
        ...refusalsOf(policy, asked, place),
        ...judged.flatMap((it) => ('refusal' in it ? it.refusal : [])),
      ],
      cwd,
      programs: judged.flatMap((it) => ('program' in it ? it.program : [])),
    };
  }

  private directoryOf(cwd: string | undefined): WalkedPath | undefined {
    const own = this.account.home ?? process.cwd();
    if (cwd !== undefined) return walked(absolute(cwd, own), this.trusted);
    // an account without its home starts at the top
    return walked(own, this.trusted) ?? walked('/', this.trusted);
  }
}

interface NamedPolicy {
  readonly path: string;
  readonly policy: RunPolicy;
}

function refusal(path: string, rules: readonly string[]): string {
  return `The policy ${path} of this machine refuses it: ${rules.join('; ')}`;
}

function runnersOwn(): Account {
  const uid = process.geteuid!();
  try {
    const { username } = userInfo();
    return { uid, name: username };
  } catch {
    // a container may run under a number that has no name
    return { uid, name: String(uid) };
  }
}
