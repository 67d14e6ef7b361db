import { separateContent, separateEventContent } from '../span-content.js';
import type { Attributes } from '../../telemetry/otlp/attribute-values.js';
import type { Capture } from '../../agents/agent-settings.types.js';
import type { SubmittedSpan } from '../span.types.js';
import { type StoredEvent, StoredTexts } from '../stored-text.js';

/**
 * Maximum of one span, and of all of one export. 512 spans, a batch of the official SDKs, seldom take more than 1 KiB each without
 * content.
 */
const STORED = { textLength: 4_096, totalBytes: 16 * 1024 };
const ALL_STORED_BYTES = 16 * 1024 * 1024;
/** The same of content that is kept, where one text may be a whole conversation. */
const CONTENT = { textLength: 32_768, totalBytes: 64 * 1024 };
const ALL_CONTENT_BYTES = 8 * 1024 * 1024;

/** Writes the stored form of the spans of one export, with separate content. */
export class SpanTexts {
  private readonly stored = new StoredTexts(STORED, ALL_STORED_BYTES);
  private readonly content = new StoredTexts(CONTENT, ALL_CONTENT_BYTES);

  constructor(private readonly capture: Capture) {}

  of(
    attributes: Attributes,
    events: readonly StoredEvent[],
    isTool: boolean,
  ): Pick<SubmittedSpan, 'attributes' | 'events' | 'content'> {
    const own = separateContent(attributes, isTool, this.capture);
    const ofEvents = events.map((event) => ({
      event,
      ...separateEventContent(event.name, event.attributes, this.capture),
    }));
    return {
      attributes: this.stored.object(own.kept),
      events: this.stored.list(ofEvents.map(({ event, kept }) => ({ ...event, attributes: kept }))),
      content: this.contentOf(
        own.content,
        ofEvents
          .filter(({ content }) => Object.keys(content).length > 0)
          .map(({ event, content }) => ({ ...event, attributes: content })),
      ),
    };
  }

  private contentOf(attributes: Attributes, events: readonly StoredEvent[]): string | null {
    if (events.length === 0 && Object.keys(attributes).length === 0) return null;
    const list = this.content.list(events);
    const dropped = events.length - (JSON.parse(list ?? '[]') as unknown[]).length;
    const parts = [
      ['attributes', this.content.object(attributes)],
      ['events', list],
      ['dropped_events', dropped > 0 ? String(dropped) : null],
    ] as const;
    const told = parts.filter(([, text]) => text !== null);
    return told.length === 0 ? null : `{${told.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
  }
}
