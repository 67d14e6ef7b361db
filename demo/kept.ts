import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOMAIN, PEOPLE } from './company.js';

export interface Account {
  readonly email: string;
  readonly password: string;
}

interface Content {
  /** By the beginning of their address. */
  accounts: Record<string, Account>;
  /** By the agent's id, or the project's. */
  keys: Record<string, string>;
}

/** What the demo remembers, so that it finds its company again: passwords and keys, in a folder closed to others. */
export class Kept {
  private constructor(
    readonly folder: string,
    private readonly content: Content,
  ) {}

  static open(dataDir: string): Kept {
    const folder = join(dataDir, 'demo');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    let content: Content = { accounts: {}, keys: {} };
    try {
      content = JSON.parse(readFileSync(join(folder, 'kept.json'), 'utf8')) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return new Kept(folder, content);
  }

  account(local: (typeof PEOPLE)[number]['local']): Account {
    return (this.content.accounts[local] ??= {
      email: `${local}@${DOMAIN}`,
      // of every kind of character that a password needs
      password: `Books-${randomBytes(6).toString('hex')}-7`,
    });
  }

  /** The account's address is taken in this service, by somebody with another password. */
  rename(local: (typeof PEOPLE)[number]['local']): Account {
    const { password } = this.account(local);
    const email = `${local}-${randomBytes(3).toString('hex')}@${DOMAIN}`;
    return (this.content.accounts[local] = { email, password });
  }

  key(id: string): string | undefined {
    return this.content.keys[id];
  }

  keepKey(id: string, key: string): string {
    this.content.keys[id] = key;
    this.save();
    return key;
  }

  save(): void {
    const file = join(this.folder, 'kept.json');
    writeFileSync(`${file}.new`, JSON.stringify(this.content, undefined, 2), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}
