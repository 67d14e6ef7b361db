import { type BrokenRule, InvalidError } from '../errors/domain-error.js';
import { isRecord } from '../http/json-record.js';
import { EntryReader } from './entry-reader.js';

export const MAXIMUM_ENTRIES = 1_000;

export interface SubmittedEntry {
  /** Prefix of field names in messages: `logs.3.`, or empty for a single entry. */
  readonly path: string;
  readonly timestamp: Date;
  /** The id as the agent sent it. Ownership is not verified yet. */
  readonly deploymentId: string | null;
  /** As {@link deploymentId}. */
  readonly runId: string | null;
}

export interface Submission<Entry extends SubmittedEntry> {
  /** All agents named in the body or in one of its entries. */
  readonly agentIds: ReadonlySet<string>;
  readonly entries: readonly Entry[];
}

/**
 * Reads a body that is one entry or, if it has a property of the batch's name, a batch. Unknown properties are ignored.
 * Pure.
 *
 * @param receivedAt the time of entries without a timestamp
 * @throws InvalidError with a message for each violated rule
 */
export function readSubmission<Entry extends SubmittedEntry>(
  given: unknown,
  batchName: 'logs' | 'metrics',
  readEntry: (reader: EntryReader) => Entry,
  receivedAt: Date,
): Submission<Entry> {
  // An absent body violates the same rules as an empty one.
  const body = given === undefined ? {} : given;
  if (!isRecord(body)) throw InvalidError.of(null, 'wrong_type', 'The body must be an object');
  const problems: BrokenRule[] = [];
  const whole = new EntryReader(body, '', problems, receivedAt);
  const readers = body[batchName] === undefined ? [whole] : [];
  for (const [index, source] of batchOf(body[batchName], batchName).entries()) {
    const path = `${batchName}.${index}`;
    if (isRecord(source)) readers.push(new EntryReader(source, `${path}.`, problems, receivedAt));
    else problems.push({ field: path, code: 'wrong_type', message: `${path} must be an object` });
  }
  const agentIds = new Set<string>();
  for (const reader of new Set([whole, ...readers])) {
    const agentId = reader.uuid('agent_id');
    if (agentId !== null) agentIds.add(agentId);
  }
  const entries = readers.map(readEntry);
  if (problems.length > 0) throw new InvalidError(problems);
  return { agentIds, entries };
}

function batchOf(batch: unknown, batchName: string): unknown[] {
  if (batch === undefined) return [];
  if (!Array.isArray(batch)) throw InvalidError.of(batchName, 'wrong_type', `${batchName} must be an array`);
  if (batch.length > MAXIMUM_ENTRIES) {
    throw InvalidError.of(batchName, 'too_long', `${batchName} must have at most ${MAXIMUM_ENTRIES} entries`);
  }
  return batch;
}
