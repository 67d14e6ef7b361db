import type { SelectQueryBuilder } from 'typeorm';
import type { Connection } from '../database/transaction.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type { ContactGroup } from './contact.js';
import { PresenceReviewEntity } from './presence-review.entity.js';

/** Common table expression `review` of the statements below: one row, with a condition that all of them read. */
export function lastReview(connection: Connection): SelectQueryBuilder<PresenceReviewEntity> {
  return connection
    .createQueryBuilder(PresenceReviewEntity, 'latest')
    .select('now() BETWEEN latest.reviewedAt AND latest.holdsUntil', 'holds');
}
const HOLDS = '(SELECT holds FROM review)';

/**
 * SQL that reads the user's agents in a group from the index alone; no row where the review does not hold. The group is part
 * of the text: given as parameters, PostgreSQL expects each group to be as large as the others, and reads the table.
 * Takes `:userId`. By hand: a list has a part for each of up to 21 groups, and TypeORM takes 0.1 ms for each text.
 */
export function ofGroup({ contact, workload }: Pick<ContactGroup, 'contact' | 'workload'>): string {
  return `FROM agent_presence AS presence WHERE presence.user_id = :userId AND presence.contact = '${contact}'
    AND presence.workload = '${workload}' AND ${HOLDS}`;
}

/** The user's agents of whom the clock has to be asked: `quiet` ones, and all others where the review does not hold. */
export function judgedMembers(connection: Connection): SelectQueryBuilder<AgentPresenceEntity>[] {
  return ["presence.contact = 'quiet'", `presence.contact <> 'quiet' AND NOT ${HOLDS}`].map((contact) =>
    connection
      .createQueryBuilder(AgentPresenceEntity, 'presence')
      .where('presence.userId = :userId')
      .andWhere(contact),
  );
}
