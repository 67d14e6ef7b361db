/**
 * Numbers of the protocol that runtimes speak with the service; docs/upgrades.md says what each of them has. Whoever changes
 * the protocol raises `newest`, and the number of each runtime.
 */
export const RUNTIME_PROTOCOLS = {
  /** Runtimes with a lower one are too old. The index of outdated agents has this number: a change of it needs a migration. */
  oldest: 1,
  newest: 1,
} as const;

/** The program that speaks the protocol for an agent, as it registered. */
export interface RuntimeSoftware {
  readonly name: string;
  readonly version?: string;
  readonly protocol?: number;
}

/** SQL: the runtime of the agent of this alias is too old. A constant, not a parameter: it leads to the partial index. */
export const isOutdatedSql = (alias: string) =>
  `${alias}.runtime -> 'protocol' < '${RUNTIME_PROTOCOLS.oldest}'::jsonb`;

/** Returns true for a runtime that the service does not support any more. One that names no protocol is not known to be too old. */
export function isOutdated({ protocol }: RuntimeSoftware): boolean {
  return protocol !== undefined && protocol < RUNTIME_PROTOCOLS.oldest;
}

/** Advice for people whose runtime and service don't fit; undefined: they do, as far as the runtime says. Pure. */
export function upgradeAdvice(
  { name, protocol }: RuntimeSoftware,
  { oldest, newest }: { readonly oldest: number; readonly newest: number } = RUNTIME_PROTOCOLS,
): string | undefined {
  if (protocol === undefined) return undefined;
  if (protocol < oldest)
    return `${name} speaks protocol ${protocol}, but this service requires ${oldest} or newer: upgrade ${name}`;
  if (protocol > newest)
    return (
      `${name} speaks protocol ${protocol}, but this service supports ${newest} at most: upgrade the service before ` +
      'its runtimes'
    );
  return undefined;
}
