import type { NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { BadRequestException, UnsupportedMediaTypeException } from '@nestjs/common';

/** PostgreSQL stores neither NUL nor half of a surrogate pair; JSON brings them in only as these escapes. */
const UNSTORABLE_ESCAPE = /\\u0000|\\u[dD][89a-fA-F]/;

/** Deeper than any document that means something; recursion over it must never exhaust the stack. */
const MAXIMUM_DEPTH = 200;

/** RFC 8259, 8.1: JSON that travels between systems is UTF-8, whatever else a parameter may claim. */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const CURLY = 0x20;
const OPENING = 0x5b | CURLY;
const CLOSING = 0x5d | CURLY;

interface ParsedRequest extends Request {
  holdsUnstorable?: boolean;
}

/** Replaces what PostgreSQL can't store by U+FFFD, as decoders do with broken input. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function storableDeep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableDeep);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [storable(key), storableDeep(inner)]),
    );
  }
  return value;
}

/**
 * JSON bodies: malformed 400, too large 413, another content type 415. No body at all is fine here; whether one
 * is needed is the route's validation to say.
 *
 * @param maximumBytes of the body, after decompression
 */
export function jsonBodies(maximumBytes: number): RequestHandler[] {
  const parse = express.json({
    limit: maximumBytes,
    verify: (request: ParsedRequest, _response, buffer) => {
      if (isDeeperThan(MAXIMUM_DEPTH, buffer)) throw new BadRequestException('The body is nested too deeply');
      request.holdsUnstorable = buffer.includes('\\u') && UNSTORABLE_ESCAPE.test(buffer.toString('latin1'));
    },
  });
  return [refuseOtherTypes, parse, cleanBody];
}

function refuseOtherTypes(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && request.is('application/json') === false) {
    throw new UnsupportedMediaTypeException('The content type must be application/json');
  }
  if (hasBody && OTHER_CHARSET.test(request.headers['content-type'] ?? '')) {
    throw new UnsupportedMediaTypeException('The charset must be utf-8');
  }
  next();
}

function cleanBody(request: ParsedRequest, _response: Response, next: NextFunction): void {
  if (request.holdsUnstorable) request.body = storableDeep(request.body);
  next();
}

/**
 * Whether arrays and objects are nested deeper, told from the bytes, before anything recurses; brackets in strings
 * don't count. Of text that is no JSON it may say anything.
 */
function isDeeperThan(maximum: number, json: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!;
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if ((byte | CURLY) === OPENING) {
      if (++depth > maximum) return true;
    } else if ((byte | CURLY) === CLOSING) depth--;
  }
  return false;
}
