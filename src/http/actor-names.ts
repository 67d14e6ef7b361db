import type { UserPrincipal } from '../access/principal.js';
import type { Page } from '../database/page.js';
import { type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';

/** The names that a reader sees next to an actor. */
export interface ActorNames {
  /** The name of the person, the key or the agent. */
  readonly actorName: string | null;
  /** The address of the person who acted, or whose key did. */
  readonly actorEmail: string | null;
}

/** The reader of a list: names of people are for those who share a project with them, as lists of members are. */
export interface NamesReader extends Pick<UserPrincipal, 'userId' | 'isAdmin'> {
  readonly projectIds: readonly string[];
}

export function namesReader({ userId, isAdmin, memberships }: UserPrincipal): NamesReader {
  return { userId, isAdmin, projectIds: memberships.map(({ projectId }) => projectId) };
}

const NO_NAMES: ActorNames = { actorName: null, actorEmail: null };

const NAMED_KINDS = ['user', 'key', 'agent'] as const;

/** SQL for the list of ids that is this parameter, in the form of `lists` (sql.ts). */
const ids = (parameter: string) => `(SELECT ${parameter}::uuid[])::uuid[]`;

/** SQL: the reader sees the address of `person`. */
const SEES_PERSON = `($4::boolean OR person.id = $5::uuid OR EXISTS (
    SELECT FROM project_members AS member WHERE member.user_id = person.id AND member.project_id = ANY (${ids('$6')})))`;

/** By hand: the tables belong to features. Each row is found by its primary key. */
const READ: PreparedStatement = {
  name: 'read_actor_names',
  text: `SELECT 'user:' || person.id AS actor, person.name AS "actorName", person.email AS "actorEmail"
    FROM users AS person WHERE person.id = ANY (${ids('$1')}) AND ${SEES_PERSON}
  UNION ALL SELECT 'key:' || key.id, key.name, person.email FROM api_keys AS key
    LEFT JOIN users AS person
      ON person.id = CASE WHEN key.role IS NULL THEN key.user_id ELSE key.created_by END AND ${SEES_PERSON}
    WHERE key.id = ANY (${ids('$2')}) AND (person.id IS NOT NULL OR key.user_id = ANY (${ids('$6')}) OR $4)
  UNION ALL SELECT 'agent:' || id, name, NULL FROM agents
    WHERE id = ANY (${ids('$3')}) AND (user_id = ANY (${ids('$6')}) OR $4)`,
};

/**
 * Reads the names of the actors of a page, in one statement. Names are those of now: a key, person or agent that is deleted has
 * none, and the actor's id stays.
 *
 * @param actors null: nobody acted
 */
export async function readActorNames(
  connection: Connection,
  { userId, isAdmin, projectIds }: NamesReader,
  actors: readonly (string | null)[],
): Promise<(actor: string | null) => ActorNames> {
  const different = [...new Set(actors)];
  const acted = NAMED_KINDS.map((kind) =>
    different.flatMap((actor) => (actor?.startsWith(`${kind}:`) ? [actor.slice(kind.length + 1)] : [])),
  );
  if (acted.every(({ length }) => length === 0)) return () => NO_NAMES;
  const parameters = [...acted, isAdmin, userId, projectIds];
  const rows = await rowsOf<ActorNames & { readonly actor: string }>(connection, READ, parameters);
  const names = new Map(rows.map(({ actor, ...found }) => [actor, found]));
  return (actor) => names.get(actor ?? '') ?? NO_NAMES;
}

/** Adds the names of its actors to a page; see {@link readActorNames}. */
export async function withActorNames<Item extends { readonly actor: string }>(
  connection: Connection,
  reader: NamesReader,
  page: Page<Item>,
): Promise<Page<Item & ActorNames>> {
  const actors = page.items.map(({ actor }) => actor);
  const namesOf = await readActorNames(connection, reader, actors);
  return page.map((item) => ({ ...item, ...namesOf(item.actor) }));
}

/** The names next to an actor, in the form of the API. */
export const shownNames = ({ actorName, actorEmail }: ActorNames) => ({
  actor_name: actorName,
  actor_email: actorEmail,
});
