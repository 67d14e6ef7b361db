import { Injectable } from '@nestjs/common';
import type { Membership } from '../access/principal.js';
import { Database } from '../database/database.js';
import { RevocableCache } from '../database/revocable-cache.js';
import type { Transaction } from '../database/transaction.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import type { TimedMembership } from './project.types.js';

/** Maximum time for which memberships are cached; a change still takes effect within a second. */
const TTL_MS = 60_000;

/** Members of projects: asked at each request of a person. */
@Injectable()
export class MembershipsService {
  private readonly known: RevocableCache<readonly TimedMembership[]>;

  constructor(
    private readonly members: ProjectMembersRepository,
    private readonly database: Database,
  ) {
    this.known = new RevocableCache(database, 'memberships', TTL_MS, 'proven');
  }

  /** The projects of an account with its role in each, the personal one first. */
  of(userId: string): Promise<readonly Membership[]> | readonly Membership[] {
    return this.known.get(
      userId,
      () => this.members.membershipsOf(this.database.people.manager, userId),
      untilNextEnd,
    );
  }

  /** Makes every instance read the memberships of these accounts again, within a second of the commit. */
  changed(tx: Transaction, userIds: readonly string[]): Promise<void> {
    return this.known.revoke(tx, userIds);
  }

  /** Ends all memberships of a project, as {@link changed} does. */
  async endAll(tx: Transaction, projectId: string): Promise<void> {
    await this.changed(tx, await this.members.deleteAll(tx, projectId));
  }
}

/** The time until the first membership by a group ends, in milliseconds: no cached entry may outlive it. */
function untilNextEnd(memberships: readonly TimedMembership[]): number {
  return Math.min(...memberships.map(({ endsInMs }) => endsInMs ?? Infinity));
}
