import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import { Database } from '../database/database.js';
import { RevocableCache } from '../database/revocable-cache.js';
import { onCommit, type Transaction } from '../database/transaction.js';
import { InvalidError } from '../errors/domain-error.js';
import type { SwitchName, SwitchSetting, TimedSetting } from './switch.types.js';
import { SwitchesRepository } from './switches.repository.js';

const RETRY_MS = 1_000;
/** Maximum delay of a timer: Node fires one of more than 24 days at once. */
const MAXIMUM_DELAY_MS = 86_400_000;

/** A switch that is on, and its end: milliseconds of `performance.now()`. */
interface KnownSetting {
  readonly setting: TimedSetting;
  readonly endsAtMs: number;
}

/**
 * The switches of the whole service, in the memory of this instance. They are read when a change is announced, when
 * announcements may have been missed, and when one ends: never by a request.
 */
@Injectable()
export class SwitchesService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly changes: RevocableCache<never>;
  private readonly handlers: (() => void)[] = [];
  private known: ReadonlyMap<SwitchName, KnownSetting> | undefined;
  /** Reads follow one another: of two at once the older one could end last. */
  private reads: Promise<void> = Promise.resolve();
  /** Number of changes that this instance has made. */
  private ownChanges = 0;
  private readonly firstRead = Promise.withResolvers<void>();
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly repository: SwitchesRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.changes = new RevocableCache(database, 'switches', RETRY_MS, 'connected');
    this.changes.onRevoked(() => this.readSoon());
    this.changes.onReset(() => this.readSoon());
  }

  onApplicationBootstrap(): void {
    this.database.onceOpen(
      async () => this.readSoon(),
      () => undefined,
    );
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.firstRead.resolve();
  }

  /** Resolves when this instance knows the switches: an instance that has just started must not miss one. */
  get whenKnown(): Promise<void> | undefined {
    return this.known ? undefined : this.firstRead.promise;
  }

  /** The setting of a switch and its remaining time in milliseconds; null: the switch is off. */
  setting(name: SwitchName): TimedSetting | null {
    const known = this.known?.get(name);
    if (!known) return null;
    const leftMs = known.endsAtMs - performance.now();
    if (leftMs <= 0) return null;
    return { ...known.setting, leftMs: Number.isFinite(leftMs) ? leftMs : null };
  }

  /** Registers a handler, which is called when a switch may have changed. */
  onChange(handler: () => void): void {
    this.handlers.push(handler);
  }

  /**
   * Turns a switch on, or changes it, on all instances.
   *
   * @throws InvalidError if its end is not in the future
   */
  async turnOn(
    tx: Transaction,
    name: SwitchName,
    setting: Pick<SwitchSetting, 'value' | 'endsAt' | 'setBy'>,
  ): Promise<TimedSetting> {
    await this.repository.put(tx, { name, ...setting });
    const found = await this.announce(tx, name);
    if (!found) throw InvalidError.of('until', 'out_of_range', 'until must be in the future');
    return found;
  }

  /** Turns a switch off on all instances. @returns false if it was off */
  async turnOff(tx: Transaction, name: SwitchName): Promise<boolean> {
    const on = await this.repository.listOn(tx);
    const isDeleted = await this.repository.delete(tx, name);
    await this.announce(tx, name);
    // A second caller at the same moment finds the row deleted, and so has turned nothing off.
    return isDeleted && on.some((each) => each.name === name);
  }

  /** The other instances read the switches after the commit; this one has what the transaction has written. */
  private async announce(tx: Transaction, name: SwitchName): Promise<TimedSetting | undefined> {
    const on = await this.repository.listOn(tx);
    onCommit(tx, () => {
      this.ownChanges++;
      this.take(on);
    });
    await this.changes.revoke(tx, [name]);
    return on.find((each) => each.name === name);
  }

  private readSoon(): void {
    if (!this.database.wasOpened || this.isStopped) return;
    this.reads = this.reads.then(() => this.read());
  }

  private async read(): Promise<void> {
    try {
      const { ownChanges } = this;
      const on = await this.repository.listOn(this.database.background.manager);
      // A change that this instance has made meanwhile is newer; its announcement causes another read.
      if (ownChanges === this.ownChanges) this.take(on);
    } catch (err) {
      if (this.isStopped) return;
      this.logger.warn({ err }, 'the switches of the service could not be read');
      this.readLater(RETRY_MS);
    }
  }

  private take(on: readonly TimedSetting[]): void {
    const now = performance.now();
    this.known = new Map(
      on.map((setting) => [setting.name, { setting, endsAtMs: now + (setting.leftMs ?? Infinity) }]),
    );
    this.firstRead.resolve();
    const left = on.flatMap(({ leftMs }) => (leftMs === null ? [] : [leftMs]));
    this.readLater(Math.min(...left));
    for (const handler of this.handlers) handler();
  }

  private readLater(delayMs: number): void {
    clearTimeout(this.timer);
    if (this.isStopped || delayMs === Infinity) return;
    this.timer = setTimeout(() => this.readSoon(), Math.min(delayMs, MAXIMUM_DELAY_MS)).unref();
  }
}
