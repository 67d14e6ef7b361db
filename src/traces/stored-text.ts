import { writtenBytes } from '../database/written-json.js';
import { cutText } from '../http/storable-text.js';
import type { Attributes } from '../telemetry/otlp/attribute-values.js';

/** The mark at the end of a text that was cut. */
const CUT = '…[truncated]';
/** The comma and the blank after a member, as PostgreSQL writes them. */
const SEPARATOR_BYTES = 2;
/** The number of attributes that had no room. */
export const DROPPED_ATTRIBUTE = 'agent_control_plane.dropped_attributes';

export interface TextLimits {
  /** Maximum length of one text, in characters; a longer one is cut. */
  readonly textLength: number;
  /** Maximum size of one object or list, in bytes as PostgreSQL writes it. */
  readonly totalBytes: number;
}

export interface StoredEvent {
  readonly name: string;
  readonly timestamp: string;
  readonly attributes: Attributes;
}

/**
 * Writes the attributes and events of the spans of one export as JSON. What has no room is left out: usage is counted from a span, so
 * the size of its attributes is never a reason to refuse it.
 */
export class StoredTexts {
  /** @param remainingBytes room for all texts of the export together */
  constructor(
    private readonly limits: TextLimits,
    private remainingBytes: number,
  ) {}

  /** Attributes as an object, which has the number of those left out; null if there are none. */
  object(attributes: Attributes): string | null {
    const stored = this.cutAll(attributes);
    const whole = JSON.stringify(stored);
    if (whole === '{}') return null;
    if (this.hasRoomFor(whole)) return whole;
    const entries = Object.entries(stored);
    const members = this.fitting(
      entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    );
    const dropped = entries.length - members.length;
    if (dropped > 0) members.push(`${JSON.stringify(DROPPED_ATTRIBUTE)}:${dropped}`);
    return `{${members.join(',')}}`;
  }

  /** Events as a list; null if none has room. */
  list(events: readonly StoredEvent[]): string | null {
    const texts = events.map(({ attributes, ...event }) =>
      JSON.stringify({ ...event, attributes: this.cutAll(attributes) }),
    );
    const fitting = this.fitting(texts);
    return fitting.length === 0 ? null : `[${fitting.join(',')}]`;
  }

  /** Takes the room of an object as a whole, which is the sum of what {@link fitting} takes for its members. */
  private hasRoomFor(whole: string): boolean {
    const needed = writtenBytes(whole);
    if (needed > Math.min(this.limits.totalBytes, this.remainingBytes)) return false;
    this.remainingBytes -= needed;
    return true;
  }

  private fitting(texts: readonly string[]): string[] {
    let room = Math.min(this.limits.totalBytes, this.remainingBytes);
    return texts.filter((text) => {
      const needed = writtenBytes(text) + SEPARATOR_BYTES;
      if (needed > room) return false;
      room -= needed;
      this.remainingBytes -= needed;
      return true;
    });
  }

  /** The same object if none of its texts is too long, because a copy of each span's takes as long as writing it. */
  private cutAll(attributes: Attributes): Attributes {
    const { textLength } = this.limits;
    const isLong = (value: unknown) => typeof value === 'string' && value.length > textLength;
    if (!Object.values(attributes).some(isLong)) return attributes;
    return Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [
        name,
        isLong(value) ? cutText(value as string, textLength) + CUT : value,
      ]),
    );
  }
}
