import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { closePrivateDirectory } from '@agent-control-plane/client/internal/runtime/private-directory';
import { CommandFailedError } from './failures.js';

export const DEFAULT_API_URL = 'http://127.0.0.1:8000';

/** `~/.svc/config.json`. Keys that this version does not know are kept as they are. */
export interface Config {
  readonly api_url: string;
  /** The access token of a login, or a user API key that somebody has put there. */
  readonly api_key: string | null;
  readonly refresh_token: string | null;
  /** The address that gave the tokens; absent in a file written by hand, where `api_url` is meant. */
  readonly issued_by?: string | null;
}

export const NO_CONFIG: Config = { api_url: DEFAULT_API_URL, api_key: null, refresh_token: null };

/** Whether it can be sent at all: what can't is named in the error of whoever tries, and so in full. */
export function isCredential(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The one file that `svc` keeps: closed to others, and replaced as a whole or not at all. */
export class ConfigFile {
  constructor(readonly path: string) {}

  /** In the home directory of whoever runs this. */
  static ofUser(environment: Readonly<Record<string, string | undefined>>): ConfigFile {
    const home = environment.HOME || environment.USERPROFILE || homedir();
    return new ConfigFile(join(home, '.svc', 'config.json'));
  }

  /** @throws CommandFailedError when it is there and can't be used; it is left as it is */
  async read(): Promise<Config> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return NO_CONFIG;
      throw new CommandFailedError(`${this.path} can't be read (${codeOf(error)}): check who owns it`);
    }
    return text.trim() === '' ? NO_CONFIG : this.checked(text);
  }

  /** @throws CommandFailedError when it can't be written; what was there is still there then */
  async write(config: Config): Promise<void> {
    try {
      closePrivateDirectory(dirname(this.path));
      await replaceFile(this.path, `${JSON.stringify(config, null, 2)}\n`);
    } catch (error) {
      throw new CommandFailedError(`${this.path} can't be written (${codeOf(error)}): check who owns it`);
    }
  }

  private checked(text: string): Config {
    const config = { ...NO_CONFIG, ...this.parsed(text) };
    for (const name of ['api_key', 'refresh_token', 'issued_by'] as const) {
      const value: unknown = config[name] ?? null;
      if (value !== null && typeof value !== 'string')
        throw this.unusable(`has a ${name} that is neither a string nor null`);
    }
    if (config.api_key && !isCredential(config.api_key))
      throw this.unusable('has an api_key with characters that no key has');
    if (typeof config.api_url !== 'string') throw this.unusable('has an api_url that is not a string');
    return config;
  }

  private parsed(text: string): Partial<Config> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // the parser's message would show what stands there, which may be a token
      throw this.unusable('is not JSON');
    }
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw this.unusable('is not a JSON object');
  }

  private unusable(what: string): CommandFailedError {
    return new CommandFailedError(
      `${this.path} ${what}: repair it, or move it away and run "svc login" again`,
    );
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
