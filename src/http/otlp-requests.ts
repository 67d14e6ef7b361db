import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Request } from 'express';

export const PROTOBUF_TYPE = 'application/x-protobuf';
/** The media types of OTLP over HTTP. */
export const OTLP_TYPES = ['application/json', PROTOBUF_TYPE];

const OTLP_PATH = /^\/otlp\//i;
const TRACES_PATH = /^\/otlp\/v1\/traces\/?$/i;
const IS_PROTOBUF = /^application\/x-protobuf\s*(;|$)/i;

/** Returns true for a request of the OpenTelemetry protocol. If its body is in Protocol Buffers, so are its errors. */
export function isOtlp({ path }: Request): boolean {
  return OTLP_PATH.test(path);
}

/** Returns true for an export of traces: exporters send hundreds of spans at once, and give up on a 413. */
export function isTraceExport({ path }: Request): boolean {
  return TRACES_PATH.test(path);
}

export function isProtobuf({ headers }: Request): boolean {
  return IS_PROTOBUF.test(headers['content-type'] ?? '');
}

/** An error of OTLP in Protocol Buffers: a `google.rpc.Status` with its message, field 2. */
export function protobufStatus(message: string): Buffer {
  return Buffer.from(new BinaryWriter().tag(2, WireType.LengthDelimited).string(message).finish());
}
