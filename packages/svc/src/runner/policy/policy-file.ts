import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '@agent-control-plane/client/internal/runtime/runtime-errors';
import { RefusedStartError } from './refused-start.js';
import { parseRunPolicy, type RunPolicy } from './run-policy.js';
import { walkPath } from './walked-path.js';

/** The policy of the machine's owner. */
export const SYSTEM_POLICY = '/etc/svc/run.yaml';
const ROOT = 0;
const MOST_BYTES = 64 * 1024;

/** A policy can't be trusted or read, so nothing may be started. */
export class PolicyFileError extends RefusedStartError {
  override readonly name = 'PolicyFileError';

  constructor(file: string, reason: string) {
    super(`The policy ${file} can't be used: ${reason}`);
  }
}

/** A file of rules, which is read again when it has changed. */
export class PolicyFile {
  private version: string | undefined;
  private policy: RunPolicy | undefined;
  private readonly owners: ReadonlySet<number>;

  private constructor(
    readonly path: string,
    private readonly isOptional: boolean,
    owners: readonly number[],
  ) {
    this.owners = new Set(owners);
  }

  /** The policy of the machine's owner, which may be absent until it has been there once. */
  static ofMachine(path = SYSTEM_POLICY): PolicyFile {
    return new PolicyFile(path, true, [ROOT]);
  }

  /** The policy of whoever starts the runner. */
  static given(path: string): PolicyFile {
    return new PolicyFile(resolve(path), false, [ROOT, process.geteuid!()]);
  }

  /** @returns undefined if there is none @throws PolicyFileError */
  read(): RunPolicy | undefined {
    const fd = this.open();
    if (fd === undefined) return undefined;
    try {
      const stat = fstatSync(fd, { bigint: true });
      const version = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
      if (version !== this.version) {
        this.policy = parseRunPolicy(textOf(fd));
        this.version = version;
      }
      return this.policy;
    } catch (error) {
      throw this.unusable(messageOf(error));
    } finally {
      closeSync(fd);
    }
  }

  /** The file that is open is the one that was walked to: only its owners can put another one in its place. */
  private open(): number | undefined {
    try {
      const { weakness, named, file, stat } = walkPath(this.path, this.owners);
      if (named !== file) throw new Error('it is a link: put the file itself there');
      if (!stat.isFile()) throw new Error('it is no file');
      if (weakness !== undefined)
        throw new Error(
          `${weakness}: ${this.advice}, and let nobody else write the file and its directories`,
        );
      return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT')
        throw this.unusable(code === undefined ? messageOf(error) : `it can't be read (${code})`);
      if (this.isOptional && this.version === undefined) return undefined;
      throw this.unusable(
        this.isOptional
          ? 'it has been removed. Without it everything is allowed after the next start of svc run'
          : 'there is no such file',
      );
    }
  }

  private get advice(): string {
    return this.owners.size === 1 ? 'give it to root' : 'give it to root, or to the account that runs svc';
  }

  private unusable(reason: string): PolicyFileError {
    return new PolicyFileError(this.path, reason);
  }
}

function textOf(fd: number): string {
  const bytes = Buffer.alloc(MOST_BYTES + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(fd, bytes, length, bytes.length - length, length);
  if (length > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
  const text = bytes.subarray(0, length);
  if (!isUtf8(text)) throw new Error('it is not UTF-8');
  return text.toString();
}
