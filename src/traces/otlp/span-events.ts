import { cutText, storable } from '../../http/storable-text.js';
import { attributesOf } from '../../telemetry/otlp/attributes.js';
import type { Span } from '../../telemetry/otlp/generated/otlp_pb.js';
import type { StoredEvent } from '../stored-text.js';

/** Maximum number of events of a span, which is that of the official SDKs. */
const MAXIMUM_EVENTS = 128;
const MAXIMUM_NAME_LENGTH = 200;
const NANOSECONDS_IN_A_MILLISECOND = 1_000_000n;

/** The events of a span, of which the first ones are read. */
export function eventsOf({ events }: Span): StoredEvent[] {
  return events.slice(0, MAXIMUM_EVENTS).map(({ name, timeUnixNano, attributes }) => ({
    name: storable(cutText(name, MAXIMUM_NAME_LENGTH)),
    timestamp: new Date(Number(timeUnixNano / NANOSECONDS_IN_A_MILLISECOND)).toISOString(),
    attributes: attributesOf(attributes),
  }));
}
