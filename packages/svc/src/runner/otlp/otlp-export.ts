import { type ServiceClient, ServiceError } from '@agent-control-plane/client';
import { readFields, textIn } from '@agent-control-plane/client/internal/protobuf-fields';
import type { ServiceCall } from '@agent-control-plane/client/internal/runtime/service-link';

export const OTLP_SIGNALS = ['traces', 'logs', 'metrics'] as const;
export type OtlpSignal = (typeof OTLP_SIGNALS)[number];

export const PROTOBUF_TYPE = 'application/x-protobuf';
export const JSON_TYPE = 'application/json';
export type OtlpType = typeof PROTOBUF_TYPE | typeof JSON_TYPE;

/** A request of an exporter, as it came. */
export interface OtlpExport {
  readonly signal: OtlpSignal;
  readonly body: Buffer;
  readonly type: OtlpType;
  readonly isCompressed: boolean;
  readonly idempotencyKey: string;
}

/** Telemetry of a program that the service does not have. */
export interface Loss {
  /** `dropped` by the runner; `refused` by the service; `rejected`: a part of an export that it has taken. */
  readonly kind: 'dropped' | 'refused' | 'rejected';
  /** Number of exports; of `rejected` ones that of their spans, records or points. */
  readonly count: number;
  readonly reason: string;
}

/** Statuses from 500 on after which an exporter sends the same again; OTLP has no others. */
const WORTH_REPEATING = [502, 503, 504];

/**
 * The call for an export, which is made again under the same `Idempotency-Key` until the service has answered. It returns what
 * the service has not taken.
 */
export function callOf(sent: OtlpExport): ServiceCall<Loss | undefined> {
  return async (service, signal) => {
    try {
      const { data } = await post(service, sent, signal);
      return data && rejectionIn(new Uint8Array(data), sent.type);
    } catch (error) {
      // an export that the service fails at would keep all others waiting
      if (error instanceof ServiceError && isFinalFailure(error)) return refusal(error);
      throw error;
    }
  };
}

export function refusal({ detail }: ServiceError): Loss {
  return { kind: 'refused', count: 1, reason: detail };
}

function post(service: ServiceClient, sent: OtlpExport, signal: AbortSignal) {
  const { type, body, isCompressed, idempotencyKey } = sent;
  return service.POST(`/otlp/v1/${sent.signal}`, {
    body: {},
    bodySerializer: () => body,
    headers: {
      'Content-Type': type,
      'Idempotency-Key': idempotencyKey,
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
    },
    parseAs: 'arrayBuffer',
    signal,
  });
}

function isFinalFailure({ status, isOfProxy }: ServiceError): boolean {
  return !isOfProxy && status >= 500 && !WORTH_REPEATING.includes(status);
}

/** Reads the `partial_success` of a reply. @returns undefined if everything was taken */
export function rejectionIn(reply: Uint8Array, type: OtlpType): Loss | undefined {
  try {
    const { count, reason } = type === JSON_TYPE ? inJson(reply) : inProtobuf(reply);
    return count > 0 ? { kind: 'rejected', count, reason } : undefined;
  } catch {
    // the export was taken, whatever else the reply says
    return undefined;
  }
}

function inProtobuf(reply: Uint8Array): Omit<Loss, 'kind'> {
  const partial = readFields(reply).get(1);
  const fields = readFields(partial instanceof Uint8Array ? partial : new Uint8Array());
  return { count: Number(fields.get(1) ?? 0), reason: textIn(fields, 2) ?? '' };
}

function inJson(reply: Uint8Array): Omit<Loss, 'kind'> {
  const { partialSuccess } = JSON.parse(new TextDecoder().decode(reply)) as {
    partialSuccess?: Readonly<Record<string, unknown>>;
  };
  const { errorMessage = '', ...counts } = partialSuccess ?? {};
  // the number has the name of its signal, such as `rejectedSpans`, and 64-bit numbers are texts in JSON
  const [count = 0] = Object.values(counts);
  return { count: Number(count), reason: String(errorMessage) };
}
