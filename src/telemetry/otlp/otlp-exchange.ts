import {
  create,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { createParamDecorator, type ExecutionContext, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requestOf, responseOf } from '../../access/http-context.js';
import { type AgentPrincipal, actorOf } from '../../access/principal.js';
import { DomainError, RefusedError } from '../../errors/domain-error.js';
import { fingerprintOf, keyHashOf, type KeyedRequest } from '../../http/idempotency/keyed-request.js';
import { isProtobuf, PROTOBUF_TYPE } from '../../http/otlp-requests.js';
import { storableJson } from '../../http/storable-text.js';
import type { BatchIdentity, Submitted } from '../telemetry-ingest.service.js';
import type { EntryCount } from './entry-count.js';
import { scanMessage } from './message-scan.js';
import type { ExportedEntry, TelemetryExport } from './telemetry-export.js';

/** For the document: what holds for each kind of export. */
export const OTLP_DESCRIPTION =
  "OTLP over HTTP; the exporter's endpoint is the address of the service with `/otlp`. The reply has the " +
  'encoding of the request; in Protocol Buffers, an error is a `google.rpc.Status`.';
export const OTLP_ERRORS = {
  400: 'The body is malformed or too large.',
  422: 'Not used: see 400.',
  429: 'The agent or its project has used its quota for the day or the minute.',
};

/** A request of OTLP and its reply, which uses the encoding of the request. */
export class OtlpExchange {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {}

  /** @throws RefusedError, InvalidError */
  decode<Type extends DescMessage>(type: Type, entries: EntryCount): MessageShape<Type> {
    const bytes: Buffer = Buffer.isBuffer(this.request.body) ? this.request.body : Buffer.alloc(0);
    try {
      if (!isProtobuf(this.request)) {
        const json = JSON.parse(storableJson(bytes.toString())) as JsonValue;
        entries.addJson(json, type);
        return fromJson(type, json, { ignoreUnknownFields: true });
      }
      scanMessage(bytes, type, entries);
      return fromBinary(type, bytes, { readUnknownFields: false });
    } catch (error) {
      if (error instanceof DomainError) throw error;
      throw new RefusedError('bad_request', `The body is not an ${type.name}, as its content type says`);
    }
  }

  encode<Type extends DescMessage>(type: Type, content: MessageInitShape<Type>): JsonValue | StreamableFile {
    const message = create(type, content);
    if (!isProtobuf(this.request)) return toJson(type, message);
    const bytes = toBinary(type, message);
    return new StreamableFile(bytes, { type: PROTOBUF_TYPE, length: bytes.length });
  }

  /**
   * Identity of an export, which recognises a retry: its `Idempotency-Key`, else the bytes of its body, because an
   * exporter sends the same ones again. Undefined if an entry has no time: two such bodies may mean two moments.
   */
  identityOf(
    { isDated, entries }: TelemetryExport<ExportedEntry>,
    agent: AgentPrincipal,
    keyed: KeyedRequest | undefined,
  ): BatchIdentity | undefined {
    if (keyed || !isDated || entries.length === 0) return keyed;
    const fingerprint = fingerprintOf(this.request);
    return { keyHash: keyHashOf(actorOf(agent), fingerprint.toString('base64')), fingerprint };
  }

  /** Adds a header to the reply if the export was stored before. */
  note({ isRepeated }: Submitted): void {
    if (isRepeated) this.response.setHeader('Idempotency-Replayed', 'true');
  }
}

export const Exchange = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new OtlpExchange(requestOf(context), responseOf(context)),
);
