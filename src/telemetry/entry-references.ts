import { isUUID } from 'class-validator';
import { InvalidError } from '../errors/domain-error.js';
import type { SubmittedEntry } from './submission.js';

/** The references of an entry, by their names in bodies. */
export type Reference = 'deployment_id' | 'run_id';

const REFERENCES: readonly {
  readonly field: Reference;
  readonly what: string;
  readonly of: (entry: SubmittedEntry) => string | null;
}[] = [
  { field: 'deployment_id', what: 'deployment', of: ({ deploymentId }) => deploymentId },
  { field: 'run_id', what: 'run', of: ({ runId }) => runId },
];

/** The agent's own deployments and runs among those to which entries refer; null of a run: none has taken it. */
export interface OwnedReferences {
  readonly deployments: ReadonlySet<string>;
  readonly runs: ReadonlyMap<string, string | null>;
}

/** Ids to which entries refer, each once, without those that are no UUIDs. */
export function mentionedIds(entries: readonly SubmittedEntry[], field: Reference): string[] {
  const { of } = REFERENCES.find((reference) => reference.field === field)!;
  return [...new Set(entries.map(of))].filter((id): id is string => isUUID(id, 'loose'));
}

/** The entries that refer to a deployment or a run of another agent, or to an unknown one. */
export function straysAmong<Entry extends SubmittedEntry>(
  entries: readonly Entry[],
  owned: OwnedReferences,
): readonly Stray<Entry>[] {
  const known = { deployment_id: owned.deployments, run_id: owned.runs };
  return entries.flatMap((entry) => {
    const foreign = REFERENCES.find(({ field, of }) => {
      const id = of(entry);
      return id !== null && !known[field].has(id);
    });
    return foreign
      ? [
          {
            entry,
            message: `${entry.path}${foreign.field} must be a ${foreign.what} of this agent`,
            field: foreign.field,
          },
        ]
      : [];
  });
}

/** An entry that refers to a resource of another agent, and the first rule that it breaks. */
export interface Stray<Entry extends SubmittedEntry> {
  readonly entry: Entry;
  readonly field: Reference;
  readonly message: string;
}

/** @throws InvalidError with each of these entries, if there are any */
export function assertOwnReferences(strays: readonly Stray<SubmittedEntry>[]): void {
  if (strays.length > 0)
    throw new InvalidError(
      strays.map(({ entry, field, message }) => ({
        field: `${entry.path}${field}`,
        code: 'invalid_value',
        message,
      })),
    );
}
