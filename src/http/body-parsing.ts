import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { announcesTooMuch, askForBody, bodyTooLarge, hasBody } from '../http-server/readable-request.js';
import { scanBody } from './body-scan.js';
import { HalfReadBodies } from './half-read-bodies.js';
import { isOtlp, isProtobuf, OTLP_TYPES } from './otlp-requests.js';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
/** RFC 8259, 8.1: JSON that travels between systems is UTF-8, so another charset is refused. */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;
/** Malformed bytes become U+FFFD, and a byte order mark at the beginning is left out. */
const UTF_8 = new TextDecoder();

/** By the values of `Content-Encoding`. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/**
 * Parses JSON bodies: malformed 400, too large 413, another content type 415. A missing body is accepted here; the
 * route's validation refuses it where one is needed. The body of an OTLP request stays the bytes that came: its route
 * decodes them, and knows a retry by them.
 *
 * Express's reader would parse the type and the charset again, and copy the bytes once more.
 *
 * @param maximumBytes of the body, after decompression
 * @returns a function that throws or rejects with the refusal, and returns undefined where there is no body
 */
export function readBodies(
  maximumBytes: number,
): (request: Request, response: Response) => Promise<void> | undefined {
  const halfRead = new HalfReadBodies();
  const tooLarge = () => new PayloadTooLargeException(bodyTooLarge(maximumBytes));

  return (request, response) => {
    if (!hasBody(request)) return undefined;
    // Refused before it is read.
    if (announcesTooMuch(request, maximumBytes)) throw tooLarge();
    refuseOtherTypes(request);
    const decoder = decoderOf(request);
    askForBody(request, response);
    halfRead.watch(request);
    return bytesOf(request, decoder, { maximumBytes, tooLarge }).then((bytes) => {
      request.body = bodyOf(request, bytes);
    });
  };
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
function decoderOf({ headers }: Request): Transform | undefined {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return undefined;
  const create = DECODERS.get(encoding);
  if (!create) {
    throw new UnsupportedMediaTypeException(
      `The content encoding must be identity or one of ${[...DECODERS.keys()].join(', ')}`,
    );
  }
  return create();
}

/** Reads a body to its end. Rejects with the refusal as soon as there is one; the rest is then thrown away. */
function bytesOf(
  request: Request,
  decoder: Transform | undefined,
  { maximumBytes, tooLarge }: { readonly maximumBytes: number; readonly tooLarge: () => Error },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const refuse = (refusal: Error) => {
      reject(refusal);
      if (!decoder) return;
      request.unpipe(decoder).resume();
      decoder.destroy();
    };
    const source = decoder ? request.pipe(decoder) : request;
    source.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maximumBytes) refuse(tooLarge());
      else chunks.push(chunk);
    });
    source.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', () => refuse(new BadRequestException('The request was aborted')));
    decoder?.on('error', () => refuse(new BadRequestException('The body can not be decoded')));
  });
}

/** @throws BadRequestException, InvalidError */
function bodyOf(request: Request, bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  // Protocol Buffers are scanned by their messages when they are decoded.
  if (isOtlp(request) && isProtobuf(request)) return bytes;
  scanBody(bytes);
  if (isOtlp(request)) return bytes;
  try {
    return JSON.parse(UTF_8.decode(bytes)) as unknown;
  } catch {
    // The error of the parser repeats a part of the body.
    throw new BadRequestException('Malformed JSON');
  }
}
