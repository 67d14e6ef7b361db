import { readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isCredential } from '@agent-control-plane/client/internal/credentials';
import { replaceFile } from '@agent-control-plane/client/internal/runtime/atomic-file';
import { closePrivateDirectory } from '@agent-control-plane/client/internal/runtime/private-directory';
import { normalAddress } from './api-address.js';
import { type Config, contextName, DEFAULT_API_URL, type Login, NO_CONFIG } from './contexts.js';
import { CommandFailedError } from './failures.js';
import { isId } from './option-values.js';

/** The config file is invalid. The message never contains its content, which may be a token. */
export class BrokenConfigError extends CommandFailedError {
  constructor(path: string, what: string) {
    super(`${path} ${what}: repair it, or run "svc login", which moves it aside`);
  }
}

/** The only file of `svc`: closed to other users, and replaced as a whole or not at all. */
export class ConfigFile {
  constructor(readonly path: string) {}

  /** The file in the user's home directory. */
  static ofUser(environment: Readonly<Record<string, string | undefined>>): ConfigFile {
    const home = environment.HOME || environment.USERPROFILE || homedir();
    return new ConfigFile(join(home, '.svc', 'config.json'));
  }

  /** @throws BrokenConfigError; CommandFailedError if the file exists and can't be read */
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

  /** @throws CommandFailedError if it can't be written; the old content then stays */
  async write(config: Config): Promise<void> {
    await this.change(() => replaceFile(this.path, `${JSON.stringify(config, null, 2)}\n`));
  }

  /** Renames the file, so that a new one can be written. @returns its new path @throws CommandFailedError */
  async moveAside(): Promise<string> {
    const path = `${this.path}.broken`;
    await this.change(() => rename(this.path, path));
    return path;
  }

  private async change(work: () => Promise<unknown>): Promise<void> {
    try {
      closePrivateDirectory(dirname(this.path));
      await work();
    } catch (error) {
      throw new CommandFailedError(`${this.path} can't be written (${codeOf(error)}): check who owns it`);
    }
  }

  private checked(text: string): Config {
    const { contexts = [], ...current } = this.parsed(text);
    if (!Array.isArray(contexts)) throw this.broken('has contexts that are not a list');
    return { ...this.login(current), contexts: contexts.map((it) => this.login(it)) };
  }

  private login(value: unknown): Login {
    if (!isObject(value)) throw this.broken('has a context that is not an object');
    const text = (key: keyof Login): string | null => {
      const it = value[key] ?? null;
      if (it === null || typeof it === 'string') return it;
      throw this.broken(`has a ${key} that is neither a string nor null`);
    };
    const [api_key, refresh_token] = [text('api_key') || null, text('refresh_token') || null];
    if (api_key !== null && !isCredential(api_key))
      throw this.broken('has an api_key with characters that no key has');
    const api_url = this.address(text('api_url'), 'api_url');
    const web_url = this.address(text('web_url'), 'web_url');
    const name = text('name') || contextName(api_url ?? DEFAULT_API_URL);
    const project_id = text('project_id') || null;
    if (project_id !== null && !isId(project_id)) throw this.broken('has a project_id that is not an id');
    return {
      ...{ name, api_url, api_key, refresh_token },
      ...(web_url !== null && { web_url }),
      ...(project_id !== null && { project_id }),
    };
  }

  private address(text: string | null, key: string): string | null {
    try {
      return text === null ? null : normalAddress(text, key);
    } catch {
      throw this.broken(`has an ${key} that is not an address like ${DEFAULT_API_URL}`);
    }
  }

  private parsed(text: string): Record<string, unknown> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw this.broken('is not JSON');
    }
    if (isObject(value)) return value;
    throw this.broken('is not a JSON object');
  }

  private broken(what: string): BrokenConfigError {
    return new BrokenConfigError(this.path, what);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
