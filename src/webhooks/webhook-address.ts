import type { UserPrincipal } from '../access/principal.js';

type Reader = Pick<UserPrincipal, 'memberships'>;

/** Stands for the path of an address. */
const HIDDEN_PATH = '/***';

export function isMember({ memberships }: Reader, projectId: string): boolean {
  return memberships.some((it) => it.projectId === projectId);
}

/**
 * A webhook as a caller sees it. Its path may be a secret, as those of chats are: operators who are no members of the project
 * see where it leads alone.
 */
export function shownTo<Found extends { readonly projectId: string; readonly url: string }>(
  caller: Reader,
  webhook: Found,
): Found {
  if (isMember(caller, webhook.projectId)) return webhook;
  return { ...webhook, url: new URL(webhook.url).origin + HIDDEN_PATH };
}
