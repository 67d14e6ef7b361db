import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { RevocableCache } from '../database/revocable-cache.js';
import { UnavailableError } from '../errors/domain-error.js';
import { keyIdOf } from '../secrets/stored-text-cipher.js';
import type { SealingKeyEntity } from './sealing-key.entity.js';
import { REMEMBERED, SealingKeysRepository } from './sealing-keys.repository.js';

const TTL_MS = 60_000;

const NO_KEY =
  'WEBHOOK_SECRET_KEY is not set: configs of agents and signing secrets are stored unencrypted, and replies ' +
  'stored for an Idempotency-Key are encrypted only with that key';

/** Shown to everybody at `/ready`, so it names no key. */
const UNKNOWN_KEY =
  'Secrets in the database are encrypted with a key that this instance does not have: it is neither ' +
  'WEBHOOK_SECRET_KEY nor WEBHOOK_SECRET_KEY_PREVIOUS';

/**
 * The key that seals secrets in the database. The database says it, not the settings of one instance: an instance
 * that is given a new key opens texts under both, and seals under the old one until a resealing makes the new one
 * that in use.
 */
@Injectable()
export class SealingKeysService implements OnApplicationBootstrap {
  /** Ids of the keys that this instance can open texts of. */
  readonly known: readonly string[];
  private last: string | null | undefined;
  private readonly recorded: RevocableCache<readonly SealingKeyEntity[]>;

  constructor(
    private readonly database: Database,
    private readonly keys: SealingKeysRepository,
    @Inject(SETTINGS)
    private readonly settings: Pick<Settings, 'WEBHOOK_SECRET_KEY' | 'WEBHOOK_SECRET_KEY_PREVIOUS'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS } = settings;
    this.known = [WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS].filter((key) => key !== '').map(keyIdOf);
    this.recorded = new RevocableCache(database, REMEMBERED.kind, TTL_MS, 'connected');
  }

  onApplicationBootstrap(): void {
    this.database.onceOpen(
      () => this.logState(),
      (error) => this.logger.warn({ err: error }, 'the keys of stored secrets could not be read'),
    );
  }

  /**
   * The key under which to seal; null: texts are stored as they are.
   *
   * @throws UnavailableError where this instance does not know it
   */
  async inUse(): Promise<string | null> {
    if ((await this.list()).length === 0 && this.settings.WEBHOOK_SECRET_KEY !== '') await this.recordFirst();
    const id = (await this.list()).find(({ isInUse }) => isInUse)?.id ?? null;
    if (id !== null && !this.known.includes(id)) throw new UnavailableError(UNKNOWN_KEY);
    return id;
  }

  /** The last result of {@link problem}; undefined before the first time. */
  get lastProblem(): string | null | undefined {
    return this.last;
  }

  /** The reason why this instance can't open some stored secrets; null where it can. */
  async problem(): Promise<string | null> {
    this.last = (await this.list()).every(({ id }) => this.known.includes(id)) ? null : UNKNOWN_KEY;
    return this.last;
  }

  private async list(): Promise<readonly SealingKeyEntity[]> {
    return this.recorded.get(REMEMBERED.key, () => this.keys.list(this.database.background.manager));
  }

  /** The first secret of an empty database is sealed under this instance's key, and all others with it. */
  private async recordFirst(): Promise<void> {
    await this.database.background.transaction(async (tx) => {
      const id = keyIdOf(this.settings.WEBHOOK_SECRET_KEY);
      if (await this.keys.recordFirst(tx, id)) await this.recorded.revoke(tx, [REMEMBERED.key]);
    });
  }

  private async logState(): Promise<void> {
    const [problem, recorded] = [await this.problem(), await this.list()];
    if (problem !== null) {
      const lacking = recorded.map(({ id }) => id).filter((id) => !this.known.includes(id));
      this.logger.error({ key_ids: lacking }, problem);
    } else if (recorded.length > 0) {
      return;
    } else if (this.settings.WEBHOOK_SECRET_KEY === '') {
      this.logger.warn(NO_KEY);
    } else if (await this.keys.hasTexts(this.database.background.manager)) {
      this.logger.warn('configs and signing secrets are stored unencrypted until npm run reseal');
    }
  }
}
