import { isUUID } from 'class-validator';
import { isWrittenWithin } from '../database/written-json.js';
import type { BrokenRule } from '../errors/domain-error.js';
import { parseIsoTimestamp } from '../http/iso-timestamp.js';
import { isRecord } from '../http/json-record.js';

/** An agent's clock may be this much ahead before its time is replaced by the service's; milliseconds. */
const MAXIMUM_AHEAD_MS = 5 * 60_000;
/** Longest `metadata` and `custom`, in bytes of JSON. */
export const MAXIMUM_OBJECT_BYTES = 16 * 1024;
/** The same as PostgreSQL writes it: numbers without exponents are never so long. */
const MAXIMUM_WRITTEN_BYTES = 2 * MAXIMUM_OBJECT_BYTES;

const OBJECT_RULE = `must be an object of at most ${MAXIMUM_OBJECT_BYTES} bytes as JSON, and ${MAXIMUM_WRITTEN_BYTES} with all digits of its numbers`;
const COUNT_RULE = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;

/**
 * Reads the fields of one entry and notes each rule that is broken. What it returns for a field that broke one
 * means nothing: with problems there is no entry. Written by hand because these bodies come most often, and with
 * thousands of fields: class-validator takes about as long over a batch as PostgreSQL does, this a fifth of it.
 */
export class EntryReader {
  /**
   * @param path prefix of a field's name in messages: `logs.3.`, or empty
   * @param problems where broken rules are noted
   * @param receivedAt the time of an entry that has none of its own
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

  /** Null is as good as absent: many serialisers write it. */
  optional<T>(name: string, accept: (value: unknown) => T | undefined, rule: string): T | null {
    const value = this.source[name];
    return value === undefined || value === null ? null : this.required(name, accept, rule);
  }

  uuid(name: string): string | null {
    return this.optional(name, asUuid, 'must be a UUID');
  }

  /** Any finite number from 0 on. */
  measure(name: string): number | null {
    return this.optional(name, asMeasure, 'must be a finite number that is not negative');
  }

  count(name: string): number | null {
    return this.optional(name, asCount, COUNT_RULE);
  }

  /** As JSON text. */
  object(name: string): string | null {
    return this.optional(name, asObjectText, OBJECT_RULE);
  }

  /** The entry's time; see {@link plausibleTime}. */
  timestamp(name: string): Date {
    return plausibleTime(this.optional(name, asTimestamp, 'must be an ISO 8601 timestamp'), this.receivedAt);
  }
}

/** The time of an entry: that of its receipt where the agent tells none, or where the agent's clock is ahead. */
export function plausibleTime(told: Date | null, receivedAt: Date): Date {
  return told && told.getTime() <= receivedAt.getTime() + MAXIMUM_AHEAD_MS ? told : receivedAt;
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
  // It recurses; how deep a body may be nested was checked when it was scanned.
  const text = JSON.stringify(value);
  const isShort = Buffer.byteLength(text) <= MAXIMUM_OBJECT_BYTES;
  return isShort && isWrittenWithin(text, MAXIMUM_WRITTEN_BYTES) ? text : undefined;
}
