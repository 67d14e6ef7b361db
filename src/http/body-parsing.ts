import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import getRawBody from 'raw-body';
import {
  BYTES_OF_A_VALUE,
  FEW_VALUES,
  SMALL_BODY_BYTES,
  USUAL_COMPRESSION,
} from '../budget/request-limits.js';
import type { Settings } from '../config/settings.js';
import { RefusedError } from '../errors/domain-error.js';
import { announcesTooMuch, askForBody, bodyTooLarge, hasBody } from '../http-server/readable-request.js';
import { BodiesInHand } from './bodies-in-hand.js';
import { scanBody } from './body-scan.js';
import { BodyTurns } from './body-turns.js';
import { keepText } from './lost-numbers.js';
import { isOtlp, isProtobuf, isTraceExport, OTLP_TYPES } from './otlp-requests.js';
import { storableJson } from './storable-text.js';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
/** RFC 8259, 8.1: JSON between systems is UTF-8, so another charset is refused. */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;
/** Malformed bytes become U+FFFD, and a byte order mark at the beginning is left out. */
const UTF_8 = new TextDecoder();

/** The settings that bound a body. */
type BodyLimit = 'MAX_BODY_BYTES' | 'MAX_TRACE_BYTES';

type Decode = (bytes: Buffer, limits: { maxOutputLength: number }) => Buffer;

/** Decoders by the values of `Content-Encoding`. 1 MiB takes each of them some milliseconds. */
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/**
 * Parses JSON bodies: malformed 400, too large 413, another content type 415. A missing body is accepted here; the
 * route's validation refuses it if one is needed. The body of an OTLP request stays as bytes: its route decodes them,
 * and recognises a retry by them.
 *
 * A body is decompressed after its last byte, so that a half-sent one takes no more memory than its bytes, and in one go, so that
 * no two are half decompressed. Express's own parser decompresses it while it arrives, and has no zstd.
 *
 * @param settings their limits hold for the body before and after decompression
 */
export function readBodies(settings: Pick<Settings, BodyLimit>): RequestHandler {
  const bodies = new BodiesInHand();
  const turns = new BodyTurns();

  return (request, response, next) => {
    if (hasBody(request)) return read(request, response, next);
    next();
    return undefined;
  };

  async function read(request: Request, response: Response, next: NextFunction): Promise<void> {
    const setting = isTraceExport(request) ? 'MAX_TRACE_BYTES' : 'MAX_BODY_BYTES';
    // The length is checked before the body is read.
    if (announcesTooMuch(request, settings[setting])) throw tooLarge(setting);
    refuseOtherTypes(request);
    const decode = decoderOf(request);
    const body = bodies.take(request, response);
    askForBody(request, response);
    const sent = await getRawBody(request, { limit: settings[setting] }).catch((error: unknown) => {
      throw (error as getRawBody.RawBodyError).type === 'entity.too.large'
        ? tooLarge(setting)
        : new BadRequestException('The request was aborted');
    });
    if (decode) await turns.next(sent.length * USUAL_COMPRESSION);
    const bytes = decode ? decoded(sent, decode, setting) : sent;
    body.hold(bytes.length, 0);
    if (bytes.length > SMALL_BODY_BYTES) await turns.next(bytes.length);
    const values = valuesIn(request, bytes);
    body.hold(bytes.length, values);
    if (values > FEW_VALUES) await turns.next(values * BYTES_OF_A_VALUE);
    // A closed response has no caller, so its route would never release its slot.
    if (response.closed) return;
    request.body = bodyOf(request, bytes);
    next();
  }

  function decoded(bytes: Buffer, decode: Decode, setting: BodyLimit): Buffer {
    try {
      return decode(bytes, { maxOutputLength: settings[setting] });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(setting);
      throw new BadRequestException("The body can't be decoded");
    }
  }

  function tooLarge(setting: BodyLimit): PayloadTooLargeException {
    return new PayloadTooLargeException(bodyTooLarge(settings[setting], setting));
  }
}

/** @throws UnsupportedMediaTypeException */
function refuseOtherTypes(request: Request): void {
  const type = request.headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type) && !(isOtlp(request) && isProtobuf(request))) {
    const types = isOtlp(request) ? OTLP_TYPES : ['application/json'];
    throw new UnsupportedMediaTypeException(`The content type must be ${types.join(' or ')}`);
  }
  if (OTHER_CHARSET.test(type)) throw new UnsupportedMediaTypeException('The charset must be utf-8');
}

/** @throws UnsupportedMediaTypeException */
function decoderOf({ headers }: Request): Decode | undefined {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return undefined;
  const decode = DECODERS.get(encoding);
  if (!decode) {
    throw new UnsupportedMediaTypeException(
      `The content encoding must be identity or one of ${[...DECODERS.keys()].join(', ')}`,
    );
  }
  return decode;
}

/**
 * The keys and elements of a body that is JSON. Protocol Buffers are scanned by their messages when they are decoded.
 *
 * @throws InvalidError
 */
function valuesIn(request: Request, bytes: Buffer): number {
  return isOtlp(request) && isProtobuf(request) ? 0 : scanBody(bytes);
}

/** @throws RefusedError */
function bodyOf(request: Request, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (isOtlp(request)) return bytes;
  const json = storableJson(UTF_8.decode(bytes));
  const body = parsed(json);
  keepText(body, json);
  return body;
}

/** @throws BadRequestException */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's own error is not used, because it repeats a part of the body.
    throw new RefusedError('malformed_json', 'Malformed JSON');
  }
}
