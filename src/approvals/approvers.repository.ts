import { Injectable } from '@nestjs/common';
import { isAtLeast, ROLES } from '../access/roles.js';
import { rowsOf } from '../database/sql.js';
import type { Transaction } from '../database/transaction.js';

const MAY_APPROVE = ROLES.filter((role) => isAtLeast(role, 'deployer'));

/** The beginning of the actor of an act by an API key. */
const KEY = 'key:';

/** Reads who may approve what. By hand: the tables belong to features below. */
@Injectable()
export class ApproversRepository {
  /** The risk for which a project asks two people; null: for none. */
  async twoApproversFor(tx: Transaction, projectId: string): Promise<string | null> {
    const statement = 'SELECT two_approvers_for AS risk FROM projects WHERE id = $1';
    const [row] = await rowsOf<{ risk: string | null }>(tx, statement, [projectId]);
    return row?.risk ?? null;
  }

  /** Returns true if a person may approve in a project: their account is active, and their role in force. */
  async mayApprove(tx: Transaction, projectId: string, userId: string): Promise<boolean> {
    const statement = `SELECT 1 FROM project_members AS member JOIN users AS person ON person.id = member.user_id
      WHERE member.project_id = $1 AND member.user_id = $2 AND member.role = ANY ($3::text[])
        AND (member.expires_at IS NULL OR member.expires_at > now()) AND person.is_active`;
    return (await rowsOf(tx, statement, [projectId, userId, MAY_APPROVE])).length > 0;
  }

  /**
   * The identities behind actors: of a person's key the person, and any other actor itself.
   *
   * @returns null if one of the keys is deleted, because it is not known whose it was
   */
  async identitiesOf(tx: Transaction, actors: readonly string[]): Promise<string[] | null> {
    const keyIds = actors.filter((actor) => actor.startsWith(KEY)).map((actor) => actor.slice(KEY.length));
    if (keyIds.length === 0) return [...actors];
    const statement = `SELECT id, CASE WHEN role IS NULL THEN 'user:' || user_id ELSE 'key:' || id END AS identity
      FROM api_keys WHERE id = ANY ($1::uuid[])`;
    const keys = await rowsOf<{ id: string; identity: string }>(tx, statement, [keyIds]);
    const known = new Map(keys.map(({ id, identity }) => [`${KEY}${id}`, identity]));
    const identities = actors.map((actor) => (actor.startsWith(KEY) ? known.get(actor) : actor));
    return identities.every((identity) => identity !== undefined) ? identities : null;
  }
}
