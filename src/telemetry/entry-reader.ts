import { isUUID } from 'class-validator';
import { isWrittenWithin } from '../database/written-json.js';
import type { BrokenRule } from '../errors/domain-error.js';
import { parseIsoTimestamp } from '../http/time-range.js';
import { isRecord } from '../http/json-record.js';

/** Maximum time by which an agent's clock may be ahead; a later time is replaced by the service's; milliseconds. */
const MAXIMUM_AHEAD_MS = 5 * 60_000;
/** Maximum size of `metadata` and `custom`, in bytes of JSON. */
export const MAXIMUM_OBJECT_BYTES = 16 * 1024;
/** The same as PostgreSQL writes it: numbers without exponents are never so long. */
const MAXIMUM_WRITTEN_BYTES = 2 * MAXIMUM_OBJECT_BYTES;

const OBJECT_RULE = `must be an object of at most ${MAXIMUM_OBJECT_BYTES} bytes as JSON, and ${MAXIMUM_WRITTEN_BYTES} with all digits of its numbers`;
const COUNT_RULE = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;

/**
 * Reads the fields of one entry and collects the violated rules. The value returned for an invalid field must not be
 * used: an entry with problems is discarded. Written by hand because these bodies are the most frequent ones, with
 * thousands of fields: class-validator takes about as long for a batch as PostgreSQL does, this class a fifth of that.
 */
export class EntryReader {
  /**
   * @param path prefix of a field's name in messages: `logs.3.`, or empty
   * @param problems list to which messages about violated rules are added
   * @param receivedAt the time of an entry without a timestamp
   */
  constructor(
    private readonly source: Readonly<Record<string, unknown>>,
    readonly path: string,
    private readonly problems: BrokenRule[],
    private readonly receivedAt: Date,
  ) {}

  required<T>(name: string, accept: (value: unknown) => T | undefined, rule: string): T {
    const value = this.source[name];
    const accepted = accept(value);
    if (accepted === undefined) {
      const field = `${this.path}${name}`;
      const code = value === undefined ? 'required' : 'invalid_value';
      this.problems.push({ field, code, message: `${field} ${rule}` });
    }
    return accepted as T;
  }

  /** Reads an optional field. Null counts as absent, because many serialisers write it. */
  optional<T>(name: string, accept: (value: unknown) => T | undefined, rule: string): T | null {
    const value = this.source[name];
    return value === undefined || value === null ? null : this.required(name, accept, rule);
  }

  uuid(name: string): string | null {
    return this.optional(name, asUuid, 'must be a UUID');
  }

  /** Reads a finite number that is 0 or greater. */
  measure(name: string): number | null {
    return this.optional(name, asMeasure, 'must be a finite number that is not negative');
  }

  count(name: string): number | null {
    return this.optional(name, asCount, COUNT_RULE);
  }

  /** Reads an object and returns it as JSON text. */
  object(name: string): string | null {
    return this.optional(name, asObjectText, OBJECT_RULE);
  }

  /** Reads the entry's time; see {@link plausibleTime}. */
  timestamp(name: string): Date {
    return plausibleTime(this.optional(name, asTimestamp, 'must be an ISO 8601 timestamp'), this.receivedAt);
  }
}

/**
 * The time of an entry: the agent's, or that of its receipt if the agent sends none or its clock is ahead.
 *
 * @param aheadMs how far the agent's clock may be ahead
 */
export function plausibleTime(told: Date | null, receivedAt: Date, aheadMs = MAXIMUM_AHEAD_MS): Date {
  return told && told.getTime() <= receivedAt.getTime() + aheadMs ? told : receivedAt;
}

function asUuid(value: unknown): string | undefined {
  return isUUID(value, 'loose') ? (value as string).toLowerCase() : undefined;
}

function asMeasure(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function asCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function asTimestamp(value: unknown): Date | undefined {
  return typeof value === 'string' ? parseIsoTimestamp(value) : undefined;
}

function asObjectText(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  // `JSON.stringify` recurses; the scan of the body has checked the depth.
  const text = JSON.stringify(value);
  const isShort = Buffer.byteLength(text) <= MAXIMUM_OBJECT_BYTES;
  return isShort && isWrittenWithin(text, MAXIMUM_WRITTEN_BYTES) ? text : undefined;
}
