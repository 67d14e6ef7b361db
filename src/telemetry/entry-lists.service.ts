import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../database/page.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import type { Connection } from '../database/transaction.js';
import { momentOf } from '../database/uuid-times.js';
import { InvalidError } from '../errors/domain-error.js';
import { TelemetryListReads } from './telemetry-list-reads.js';
import type { EntryPlace, TimeFilter } from './telemetry.types.js';

/** Most entries arrive within this time of their own. */
const USUAL_DELAY_MS = 60_000;

/** Finds an entry of the list by its id, among those within the times. */
type FindPlace = (connection: Connection, id: string, times: TimeFilter) => Promise<EntryPlace | undefined>;

type ReadPart<T> = (connection: Connection, behind: EntryPlace | undefined) => Promise<T>;

/** As `ListReads`, for lists of logs and metrics, of which a part may begin after an entry. */
@Injectable()
export class EntryListsService {
  constructor(
    private readonly telemetry: TelemetryDatabase,
    private readonly lists: TelemetryListReads,
  ) {}

  /** @throws InvalidError if the part begins after an entry that is not there; all that `ListReads.page` throws */
  async page<T>(
    userId: string,
    request: PageRequest,
    isFiltered: boolean,
    find: FindPlace,
    read: ReadPart<T>,
  ): Promise<T> {
    const { before } = request;
    const behind = before === undefined ? undefined : await this.placeOf(userId, before, find);
    return this.lists.page(userId, request, isFiltered, (connection) => read(connection, behind));
  }

  /** Reads without paging. @param isCostly as for `ListReads.page` */
  summary<T>(userId: string, isCostly: boolean, read: (connection: Connection) => Promise<T>): Promise<T> {
    return this.lists.page(userId, { skip: 0, includeTotal: false }, isCostly, read);
  }

  /**
   * An id says when its entry arrived, so the entries of those minutes are searched first. All others are a search like any: an
   * agent that was offline for days has sent its entries late.
   *
   * @throws InvalidError if the entry is not there (any more): the next entries are unknown then
   */
  private async placeOf(userId: string, id: string, find: FindPlace): Promise<EntryPlace> {
    const arrival = momentOf(id).getTime();
    const near = { since: new Date(arrival - USUAL_DELAY_MS), until: new Date(arrival + USUAL_DELAY_MS) };
    const place =
      (await find(this.telemetry.people.manager, id, near)) ??
      (await this.lists.search(userId, (connection) => find(connection, id, {})));
    if (place) return place;
    const message =
      'before must be the id of an entry that is still in the list: request the list again without before';
    throw InvalidError.of('before', 'invalid_value', message);
  }
}
