import { type BrokenRule, InvalidError } from '../errors/domain-error.js';
import { isRecord } from '../http/json-record.js';
import { EntryReader } from './entry-reader.js';

export const MAXIMUM_ENTRIES = 1_000;

export interface SubmittedEntry {
  /** The path before its fields' names in messages: `logs.3.`, or nothing where it came alone. */
  readonly path: string;
  readonly timestamp: Date;
  /** As the agent named it. Ownership is not verified yet. */
  readonly deploymentId: string | null;
}

export interface Submission<Entry extends SubmittedEntry> {
  /** Every agent that is named, by the body itself or by one of its entries. */
  readonly agentIds: ReadonlySet<string>;
  readonly entries: readonly Entry[];
}

/**
 * Reads a body that is one entry or, where it has a property of the batch's name, a batch of them. What it does
 * not know it ignores. Pure.
 *
 * @param receivedAt the time of entries that have none of their own
 * @throws InvalidError with a message for each rule that is broken
 */
export function readSubmission<Entry extends SubmittedEntry>(
  given: unknown,
  batchName: 'logs' | 'metrics',
  readEntry: (reader: EntryReader) => Entry,
  receivedAt: Date,
): Submission<Entry> {
  // An absent body breaks the rules of an empty one.
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
    throw InvalidError.of(
      batchName,
      'too_long',
      `${batchName} must hold no more than ${MAXIMUM_ENTRIES} entries`,
    );
  }
  return batch;
}
