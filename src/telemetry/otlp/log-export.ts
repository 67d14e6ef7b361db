import { storable } from '../../http/storable-text.js';
import { MAXIMUM_OBJECT_BYTES } from '../entry-reader.js';
import { cutMessage, type SubmittedLog } from '../log-submission.js';
import { attributesOf, jsonOf, membersOf, objectText, scopeOf } from './attributes.js';
import type { ExportLogsServiceRequest, LogRecord } from './generated/otlp_pb.js';
import { levelOfSeverity } from './severity.js';
import {
  deploymentIdOf,
  ExportCollector,
  type ExportedEntry,
  runIdOf,
  type TelemetryExport,
} from './telemetry-export.js';
import { idText, SPAN_ID_BYTES, TRACE_ID_BYTES } from './trace-ids.js';

export type ExportedLog = SubmittedLog & ExportedEntry;

/**
 * Makes log entries of an export. Pure.
 *
 * @throws InvalidError past the limits of a request
 */
export function readLogExport(
  { resourceLogs }: ExportLogsServiceRequest,
  receivedAt: Date,
): TelemetryExport<ExportedLog> {
  const logs = new ExportCollector<ExportedLog>('log records', receivedAt);
  for (const [index, { resource, scopeLogs }] of resourceLogs.entries()) {
    const path = `resourceLogs.${index}`;
    const deploymentId = deploymentIdOf(resource);
    const ofResource = membersOf({ resource: attributesOf(resource?.attributes) });
    for (const [scopeIndex, { scope, logRecords }] of scopeLogs.entries()) {
      const ofScope = membersOf({ scope: scopeOf(scope) });
      for (const [recordIndex, record] of logRecords.entries()) {
        const ofRecord = membersOf(propertiesOf(record));
        const bytes = ofRecord.bytes + ofScope.bytes + ofResource.bytes;
        const recordPath = `${path}.scopeLogs.${scopeIndex}.logRecords.${recordIndex}`;
        if (bytes > MAXIMUM_OBJECT_BYTES) {
          logs.reject(
            1,
            `${recordPath} has more than ${MAXIMUM_OBJECT_BYTES} bytes of attributes, scope and resource`,
          );
          continue;
        }
        logs.reserve(bytes);
        logs.add({
          path: `${recordPath}.`,
          timestamp: logs.timeOf(record.timeUnixNano, record.observedTimeUnixNano),
          deploymentId,
          runId: runIdOf(resource, record.attributes),
          size: 1,
          level: levelOfSeverity(record.severityNumber, record.severityText),
          message: cutMessage(messageOf(record)),
          metadata: objectText(ofRecord.text, ofScope.text, ofResource.text),
        });
      }
    }
  }
  return logs.result();
}

/** The message of a record: a text unchanged, any other body as JSON, or the name of the event if there is no body. */
function messageOf({ body, eventName }: LogRecord): string {
  const content = jsonOf(body);
  if (content === null) return storable(eventName);
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function propertiesOf(record: LogRecord): Record<string, unknown> {
  return {
    attributes: attributesOf(record.attributes),
    severity_text: textOrNothing(record.severityText),
    event_name: textOrNothing(record.eventName),
    trace_id: idText(record.traceId, TRACE_ID_BYTES),
    span_id: idText(record.spanId, SPAN_ID_BYTES),
  };
}

function textOrNothing(text: string): string | undefined {
  return text === '' ? undefined : storable(text);
}
