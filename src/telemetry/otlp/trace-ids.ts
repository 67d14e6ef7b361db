export const TRACE_ID_BYTES = 16;
export const SPAN_ID_BYTES = 8;

/**
 * An id in hexadecimal. OTLP writes ids so in JSON, too, while Protocol Buffers use base64 for bytes in JSON: the
 * library has decoded the digits as base64, so encoding restores them. Undefined if the length is not that of an id.
 */
export function idText(id: Uint8Array, bytes: number): string | undefined {
  const sent = Buffer.from(id.buffer, id.byteOffset, id.length);
  if (id.length === bytes) return sent.toString('hex');
  const digits = sent.toString('base64').toLowerCase();
  return digits.length === 2 * bytes && /^[\da-f]+$/.test(digits) ? digits : undefined;
}
